import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Build options of the daemon and the command line. Dependencies are installed, not bundled; code splitting keeps the
 * daemon's chunks unloaded until `svc serve` needs them.
 */
export const daemonBuild = {
  entryPoints: { main: `${root}src/main.ts`, 'terms-worker': `${root}src/features/text/terms-worker.ts` },
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
