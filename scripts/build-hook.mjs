import { basename } from 'node:path';
import { build } from 'esbuild';
import { daemonBuild, root } from './build-options.mjs';

/** Builds the program of hooks beside the program whose metafile is given, and returns its own metafile. */
export async function buildHook(program, outdir = daemonBuild.outdir) {
  const { metafile } = await build({
    ...daemonBuild,
    outdir,
    entryPoints: { hook: `${root}src/hook-main.ts` },
    splitting: false,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { ...daemonBuild.define, 'import.meta.url': 'importMetaUrl' },
    plugins: [leavingPackagesTo(program)],
  });
  return metafile;
}

/** Takes packages that are loaded lazily from the chunks of the program, so that no hook reads them without need. */
function leavingPackagesTo({ outputs }) {
  return {
    name: 'leaving-packages',
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^.]/ }, ({ kind, path }) => {
        if (kind !== 'dynamic-import') return undefined;
        const isOf = ({ entryPoint = '' }) => entryPoint.includes(`node_modules/${path}/`);
        const chunk = Object.keys(outputs).find((output) => isOf(outputs[output]));
        return chunk && { path: `./${basename(chunk)}`, external: true };
      }),
  };
}
