import { readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { NODE_PACKAGE, NODE_VERSION } from '../../scripts/release/runtime.ts';
import { installPackages, packagesOf } from '../helpers/npm-packages.ts';
import { createWorkplaces, runCommand, signInAt } from '../helpers/process.ts';

/** The oldest Node.js that svc supports, the older maintained LTS and the one that svc ships. */
const VERSIONS = ['20.17.0', '22.23.3', NODE_VERSION];

const workplaces = createWorkplaces();
afterEach(workplaces.clean);

beforeAll(async () => {
  await installPackages(
    'node-versions',
    VERSIONS.map((version) => `node-${version}@npm:${NODE_PACKAGE}@${version}`),
  );
}, 300_000);

test('the oldest version that is tested is the oldest that svc accepts', () => {
  expect(`>=${VERSIONS[0]}`).toBe(`${manifest.engines.node}.0`);
});

test.each(VERSIONS)('the same build serves, stores, finds and stops on Node.js %s', async (version) => {
  const folder = join(packagesOf('node-versions'), `node-${version}`, 'bin');
  const dataDir = await workplaces.folder();
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const daemon = await workplaces.start({ dataDir, env });
  expect(await readlink(`/proc/${daemon.pid}/exe`)).toBe(await realpath(join(folder, 'node')));

  const apiKey = await signInAt(daemon, 'ada@example.com');
  const client = { dataDir, env: { ...env, SVC_URL: daemon.url, SVC_API_KEY: apiKey } };
  const svc = (...args: string[]) => runCommand({ ...client, args });
  expect(await svc('--help')).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('Usage: svc') });
  expect(await svc('add', 'Ada prefers oolong tea')).toMatchObject({ exitCode: 0, stderr: '' });
  const found = await svc('search', 'what does Ada drink', '--json');
  expect(found).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringContaining('oolong') });

  daemon.kill('SIGTERM');
  expect(await daemon.exited).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Warning') });
});
