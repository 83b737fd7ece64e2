import { build } from 'esbuild';
import { root } from '../../scripts/build-options.mjs';

/**
 * Returns a program for `node --input-type=module --eval` of one that imports parts of svc by their paths in the repository.
 * It starts sooner than one whose TypeScript a loader reads, and in `root` finds its packages.
 */
export async function bundledProgram(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, write: false, platform: 'node', format: 'esm', packages: 'external' },
  });
  return outputFiles[0]!.text;
}
