import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The daemon and the command line. Packages stay outside the bundle; splitting keeps the daemon's half unloaded until
 * `svc serve` asks for it.
 */
export const daemonBuild = {
  entryPoints: [`${root}src/main.ts`],
  outdir: `${root}dist`,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
};

/** The client library: one file that runs wherever there is a `fetch`. */
export const clientBuild = {
  entryPoints: [`${root}src/client/client.ts`],
  outfile: `${root}dist/client.js`,
  bundle: true,
  platform: 'neutral',
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
};
