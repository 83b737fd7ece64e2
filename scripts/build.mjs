import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

// Packages stay outside: they are installed beside us, and a bundle of them would hide what runs. Splitting keeps the
// daemon's half unloaded until `svc serve` asks for it.
await rm(`${root}dist`, { recursive: true, force: true });
await build({
  entryPoints: [`${root}src/main.ts`],
  outdir: `${root}dist`,
  bundle: true,
  splitting: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  chunkNames: '[name]-[hash]',
  sourcemap: true,
  logLevel: 'warning',
});
// The client library is one file that runs wherever there is a fetch.
await build({
  entryPoints: [`${root}src/client/client.ts`],
  outfile: `${root}dist/client.js`,
  bundle: true,
  platform: 'neutral',
  format: 'esm',
  target: 'es2022',
  sourcemap: true,
  logLevel: 'warning',
});
await buildDashboard(`${root}dist/dashboard`);
