import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { clientBuild, daemonBuild, root } from './build-options.mjs';

await rm(`${root}dist`, { recursive: true, force: true });
await build(daemonBuild);
await build(clientBuild);
await buildDashboard(`${root}dist/dashboard`);
