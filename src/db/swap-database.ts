import { link, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { type Connection, openPlainConnection } from './connection.ts';
import { isCorrupt, isLocked } from './storage-error.ts';
import { syncFolder } from './sync.ts';

/**
 * The present database keeps its place until the draft takes it; its second name is made before. Its log is emptied into
 * it first, since SQLite would play a log of this name into whatever file is beside it. Returns the second name, where
 * there was a database. Throws `conflict` where another process has it open; all is as it was then.
 */
export async function swapDatabase(draft: string, file: string, aside: string): Promise<string | undefined> {
  const held = await holdAlone(file);
  try {
    if (held === undefined) await setLogsAside(file, aside);
    const isKept = await link(file, aside).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    await rename(draft, file);
    await syncFolder(dirname(file));
    return isKept ? aside : undefined;
  } finally {
    await held?.close();
  }
}

/**
 * Empties the log into the file, removes it and keeps everybody else out; whoever waits for the file finds it moved
 * then. `undefined` where there is no file, or none that SQLite understands.
 */
async function holdAlone(file: string): Promise<Connection | undefined> {
  if ((await fileSize(file)) === 0) return undefined;
  const connection = await openPlainConnection(file, { busyTimeoutMs: 2000 });
  try {
    await connection.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    await connection.close();
    if (isCorrupt(error)) return undefined;
    if (!isLocked(error)) throw error;
    const advice = 'Wait for the svc admin command that is at work, or end it.';
    throw new AppError('conflict', `Another process has ${file} open. ${advice}`);
  }
}

/** Of a database that cannot be read. An empty one stands in for one that is gone: no daemon starts on it meanwhile. */
async function setLogsAside(file: string, aside: string): Promise<void> {
  for (const suffix of ['-wal', '-journal']) {
    if ((await fileSize(file + suffix)) === 0) continue;
    await writeFile(file, '', { flag: 'a', mode: 0o600 });
    await rename(file + suffix, aside + suffix);
  }
  for (const suffix of ['-wal', '-shm', '-journal']) await rm(file + suffix, { force: true });
}

/** How large a file is; 0 where there is none. */
export async function fileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found?.size ?? 0;
}
