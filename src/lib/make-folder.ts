import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder (mode 0700) and its missing parents. Unlike `mkdir` with `recursive`, which retries forever, it fails
 * where the file system refuses new folders with ENOENT, as /proc does.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await createFolder(folder);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await createFolder(folder);
  }
}

async function createFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    // Some systems answer EACCES or EROFS for a folder that exists.
    if (error.code === 'ENOENT' || !(await isFolder(folder))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
