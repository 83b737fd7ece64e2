import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildDashboard } from './build-dashboard.mjs';
import { buildHook } from './build-hook.mjs';
import { daemonBuild, root } from './build-options.mjs';
import { buildReference } from './build-reference.mjs';
import { buildWords } from './build-words.mjs';
import { writeLicenses } from './licenses.mjs';
import { placeBuild } from './place-build.mjs';

// `--clean` is for what is packed: without it, files of the last build stay for programs that run from it.
const lastBuild = `${root}.cache/last-build.json`;
const isClean = process.argv.includes('--clean');
const last = isClean ? [] : await readFile(lastBuild, 'utf8').then(JSON.parse, () => []);
const draft = `${root}dist-draft`;
await rm(draft, { recursive: true, force: true });
export const { metafile } = await build({ ...daemonBuild, outdir: draft });
export const hookMetafile = await buildHook(metafile, draft);
const { app } = await buildDashboard(`${draft}/dashboard`);
await buildReference(`${draft}/reference`);
await buildWords(`${draft}/words`);
await writeLicenses([metafile, hookMetafile, app], `${draft}/licenses.txt`);
const names = await placeBuild(draft, `${root}dist`, (name) => last.includes(name));
await mkdir(`${root}.cache`, { recursive: true });
await writeFile(lastBuild, JSON.stringify(names));
