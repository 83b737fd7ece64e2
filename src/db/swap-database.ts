import { link, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { syncFolder } from '../lib/atomic-file.ts';
import { type Connection, openPlainConnection } from './connection.ts';
import { isCorrupt, isLocked } from './storage-error.ts';

/**
 * Replaces the database `file` with `draft` by one rename, after hard-linking the current one as `aside`. Its log is
 * checkpointed first, since SQLite would replay a log of this name into whatever file is beside it. Returns `aside` if
 * there was a database. Throws `conflict` if another process has it open, and changes nothing.
 */
export async function swapDatabase(draft: string, file: string, aside: string): Promise<string | undefined> {
  const exclusive = await lockExclusively(file);
  try {
    if (exclusive === undefined) await moveLogsAside(file, aside);
    const isLinked = await link(file, aside).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    await rename(draft, file);
    await syncFolder(dirname(file));
    return isLinked ? aside : undefined;
  } finally {
    await exclusive?.close();
  }
}

/**
 * Checkpoints and removes the log, and locks the file until the connection is closed. Returns `undefined` if there is
 * no file, or if SQLite cannot read it.
 */
async function lockExclusively(file: string): Promise<Connection | undefined> {
  if ((await fileSize(file)) === 0) return undefined;
  const connection = await openPlainConnection(file, { busyTimeoutMs: 2000 });
  try {
    await connection.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    await connection.close();
    if (isCorrupt(error)) return undefined;
    if (!isLocked(error)) throw error;
    const advice = 'Wait for the running svc admin command to finish, or stop it.';
    throw new AppError('conflict', `Another process has ${file} open. ${advice}`);
  }
}

/** Moves the logs of an unreadable database. An empty file replaces a missing one, so that no daemon starts meanwhile. */
async function moveLogsAside(file: string, aside: string): Promise<void> {
  for (const suffix of ['-wal', '-journal']) {
    if ((await fileSize(file + suffix)) === 0) continue;
    await writeFile(file, '', { flag: 'a', mode: 0o600 });
    await rename(file + suffix, aside + suffix);
  }
  for (const suffix of ['-wal', '-shm', '-journal']) await rm(file + suffix, { force: true });
}

/** The size of a file in bytes; 0 if there is none. */
export async function fileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found?.size ?? 0;
}
