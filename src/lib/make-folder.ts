import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder (mode 0700) and its missing parents. Returns whether it did not exist. Unlike `mkdir` with `recursive`, which retries forever, it fails
 * where the file system refuses new folders with ENOENT, as /proc does.
 */
export async function makeFolder(folder: string): Promise<boolean> {
  try {
    return await createFolder(folder);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    return createFolder(folder);
  }
}

async function createFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    // Some systems answer EACCES or EROFS for a folder that exists.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || !(await isFolder(folder))) throw error;
    return false;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
