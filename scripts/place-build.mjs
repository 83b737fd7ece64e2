import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** Files whose names change with their content. Others name them, and therefore come after them. */
const HASHED = /-[0-9A-Z]{8}\./;

/**
 * Moves a new build into the folder of the last one, file by file, so that a program can start at any time. Files that
 * `isKept` selects stay although the new build has none of that name: programs that run may load them yet. Returns the
 * names of the new files.
 */
export async function placeBuild(draft, folder, isKept) {
  const names = await listFiles(draft);
  for (const name of names.toSorted((one, other) => Number(HASHED.test(other)) - Number(HASHED.test(one)))) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await rename(join(draft, name), join(folder, name));
  }
  await rm(draft, { recursive: true });
  const ended = (await listFiles(folder)).filter((name) => !names.includes(name) && !isKept(name));
  for (const name of ended) await rm(join(folder, name));
  return names;
}

async function listFiles(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
