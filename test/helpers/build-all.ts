import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { root } from '../../scripts/build-options.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    dashboardFolder: string;
    referenceFolder: string;
  }
}

/** What the build reads. */
const SOURCES = ['src', 'migrations', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];
const STAMP = `${root}dist/sources.json`;

/** What went into each file of the program, as esbuild reports it. */
export const METAFILE = `${root}.cache/metafile.json`;

/**
 * Builds the program (`dist`) for tests that start it as a process, and the pages that all daemons serve, unless `dist` was
 * built from the present sources.
 */
export default async function setup(project: TestProject): Promise<void> {
  const sources = JSON.stringify((await Promise.all(SOURCES.map((path) => listFiles(path)))).flat().sort());
  const isBuilt = (await readFile(STAMP, 'utf8').catch(() => '')) === sources;
  if (!isBuilt || !existsSync(METAFILE)) {
    const { metafile } = await import('../../scripts/build.mjs');
    await mkdir(dirname(METAFILE), { recursive: true });
    await writeFile(METAFILE, JSON.stringify(metafile));
    await writeFile(STAMP, sources);
  }
  project.provide('dashboardFolder', `${root}dist/dashboard`);
  project.provide('referenceFolder', `${root}dist/reference`);
}

/** Returns a line per file, with its size and time of change. */
async function listFiles(path: string): Promise<string[]> {
  const { size, mtimeMs } = await stat(join(root, path));
  const entries = await readdir(join(root, path), { withFileTypes: true, recursive: true }).catch(() => undefined);
  if (entries === undefined) return [`${path} ${size} ${mtimeMs}`];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (file) => {
      const found = await stat(file);
      return `${file.slice(root.length)} ${found.size} ${found.mtimeMs}`;
    }),
  );
}
