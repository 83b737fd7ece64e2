import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { buildHook } from './build-hook.mjs';
import { daemonBuild, root } from './build-options.mjs';
import { buildReference } from './build-reference.mjs';
import { buildWords } from './build-words.mjs';
import { writeLicenses } from './licenses.mjs';

await rm(`${root}dist`, { recursive: true, force: true });
export const { metafile } = await build(daemonBuild);
export const hookMetafile = await buildHook(metafile);
const { app } = await buildDashboard(`${root}dist/dashboard`);
await buildReference(`${root}dist/reference`);
await buildWords(`${root}dist/words`);
await writeLicenses([metafile, hookMetafile, app], `${root}dist/licenses.txt`);
