import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { daemonBuild, root } from './build-options.mjs';
import { buildReference } from './build-reference.mjs';

await rm(`${root}dist`, { recursive: true, force: true });
await build(daemonBuild);
await buildDashboard(`${root}dist/dashboard`);
await buildReference(`${root}dist/reference`);
