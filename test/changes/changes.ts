import { cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATCHES = fileURLToPath(new URL('patches', import.meta.url));

/** An example of something that is added to svc. */
export interface Change {
  /** As in the table of CONTRIBUTING, such as `field`. */
  name: string;
  patch: string;
  /** The files that it changes or adds. */
  files: string[];
}

export async function readChanges(): Promise<Change[]> {
  const names = (await readdir(PATCHES)).sort();
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(PATCHES, file), 'utf8');
      const files = [...text.matchAll(/^diff --git a\/\S+ b\/(\S+)$/gm)].map(([, path]) => path!);
      return { name: file.replace('.patch', ''), patch: join(PATCHES, file), files };
    }),
  );
}

/** Copies the files that changes touch, except those that they add. */
export async function copyTouched(changes: readonly Change[], folder: string): Promise<void> {
  for (const file of new Set(changes.flatMap(({ files }) => files))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file)).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

/** Applies changes to a folder, or only says whether they fit. Throws what git says. */
export async function applyChanges(changes: readonly Change[], folder: string, ...options: '--check'[]): Promise<void> {
  const patches = changes.map(({ patch }) => patch);
  // In a folder of a repository git skips the files of other folders.
  await execa('git', ['apply', ...options, ...patches], {
    cwd: folder,
    env: { GIT_CEILING_DIRECTORIES: dirname(folder) },
  });
}

/** The rows of CONTRIBUTING's table: the number of files, and the files, by what is added. */
export async function readTable(): Promise<Map<string, { count: number; files: string[] }>> {
  const text = await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const rows = text.matchAll(/^\| an? ([a-z]+)\b[^|]* \| (\d+) \| (.*) \|$/gm);
  return new Map(
    [...rows].map(([, name, count, files]) => [
      name!,
      { count: Number(count), files: [...files!.matchAll(/`([^`]+)`/g)].map(([, file]) => file!) },
    ]),
  );
}
