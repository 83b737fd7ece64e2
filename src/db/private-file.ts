import { chmod, constants, lstat, readFile } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { inheritedOwner, writeNewFile } from '../lib/atomic-file.ts';

/**
 * Ensures that a regular file exists that only its owner can open, and keeps its content. Throws `unprocessable` if there
 * is a symbolic link or anything else at the path.
 */
export async function ensurePrivateFile(path: string): Promise<void> {
  try {
    await writeNewFile(path, '', { mode: 0o600, ...(await inheritedOwner(path)) });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const found = await lstat(path);
    if (found.isSymbolicLink()) throw refusal(`${path} is a symbolic link. Remove it: svc creates its own file there.`);
    if (!found.isFile()) throw refusal(`${path} is not a regular file. Remove it: svc creates its own file there.`);
    await makePrivate(path);
  }
}

/** Sets the mode of a regular file to 0600 if others can open it; leaves symbolic links and other users' files alone. */
export async function makePrivate(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isFile() || (found.mode & 0o077) === 0) return;
  await chmod(path, 0o600).catch(() => {
    // Another user's file: it can be opened, which is enough.
  });
}

/** Reads a small regular file; throws for a symbolic link, and does not wait for a pipe. */
export function readPlainFile(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  return readFile(path, { encoding: 'utf8', flag: O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) });
}

function refusal(message: string): AppError {
  return new AppError('unprocessable', message);
}
