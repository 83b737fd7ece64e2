import { parseArgs } from 'node:util';
import { formatBytes } from '../src/cli/number-format.ts';
import { makeRelease } from './release/make-release.ts';
import { PLATFORMS, type Platform } from './release/platform.ts';

// Makes all artifacts of a release in `release` and publishes nothing: npm run release -- [--tag v1.2.3] [--platform …]
const { values } = parseArgs({
  options: {
    tag: { type: 'string' },
    platform: { type: 'string', multiple: true },
    archives: { type: 'string' },
    output: { type: 'string' },
    builder: { type: 'string' },
    /** Fails if anything was left out. */
    complete: { type: 'boolean' },
  },
});
const { platform: platforms, complete, ...options } = values;
const unknown = platforms?.find((name) => !PLATFORMS.includes(name as Platform));
if (unknown !== undefined) throw new Error(`${unknown} is not one of ${PLATFORMS.join(', ')}.`);
const onProgress = (text: string) => console.error(`making: ${text}`);
const outcomes = await makeRelease({ ...options, platforms: platforms as Platform[] | undefined, onProgress });
for (const { artifact, bytes, reason, started, trial } of outcomes) {
  const size = bytes === undefined ? `left out: ${reason}` : formatBytes(bytes);
  console.log(
    [
      artifact,
      size,
      ...(started === undefined ? [] : [`started: ${started}`]),
      ...(trial === undefined ? [] : [`not for publishing: ${trial}`]),
    ].join('  '),
  );
}
if (complete && outcomes.some(({ reason }) => reason !== undefined)) process.exitCode = 1;
