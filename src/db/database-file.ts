import { access, constants, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { replaceFile, syncFolder } from '../lib/atomic-file.ts';
import { openConnection } from './connection.ts';

/** `svc1` in ASCII: the application_id (SQLite file format) that marks a database file as ours. */
export const APPLICATION_ID = 0x73766331;
const MAGIC = 'SQLite format 3\0';

/**
 * Ensures that `svc.db` exists in `folder` and is ours, reading only its header, and returns its path. Throws
 * `unprocessable` with advice if it is empty, not a database, another program's or read-only, or if it is missing but
 * its log is not. An existing file is not changed.
 */
export async function ensureDatabaseFile(folder: string): Promise<string> {
  const file = join(folder, 'svc.db');
  const header = await readHeader(file);
  if (header !== undefined) refuseForeign(file, header);
  await refuseReadOnly(folder);
  if (header === undefined) await createDatabaseFile(file);
  else await refuseReadOnly(file);
  return file;
}

/** Reads up to 100 bytes; `undefined` if there is no file. Throws `unprocessable` if it cannot be read. */
export async function readHeader(file: string): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(100), 0, 100, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw refusal(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Check its owner and mode.`);
  }
}

/** Why a file with this header is not one of our databases; `undefined` if it is. */
export function headerFault(header: Buffer): 'empty' | 'not-sqlite' | 'foreign' | undefined {
  if (header.length === 0) return 'empty';
  if (header.length < 100 || header.toString('latin1', 0, 16) !== MAGIC) return 'not-sqlite';
  return header.readUInt32BE(68) === APPLICATION_ID ? undefined : 'foreign';
}

function refuseForeign(file: string, header: Buffer): void {
  const advice = 'Restore a backup, or move the file away to start with an empty database.';
  switch (headerFault(header)) {
    case 'empty':
      throw refusal(`${file} is empty (0 bytes). ${advice}`);
    case 'not-sqlite':
      throw refusal(`${file} is not a SQLite database. ${advice}`);
    case 'foreign':
      throw refusal(`${file} is the database of another program. Choose another data folder (SVC_DATA_DIR).`);
  }
}

async function refuseReadOnly(path: string): Promise<void> {
  const { mode } = await stat(path);
  // root can write anywhere, so the mode bits are checked too.
  const hasWriteBit = (mode & 0o222) !== 0;
  const fault = await access(path, constants.W_OK).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => code,
  );
  if (fault === 'EROFS') throw refusal(`${path} is on a read-only file system. Mount it writable: svc needs to write.`);
  if (!hasWriteBit || fault !== undefined)
    throw refusal(`${path} is read-only. svc needs to write to it: check its owner and mode.`);
}

/**
 * Creates the database under a temporary name and renames it, so that a kill in between leaves no partial file. The
 * mode is set first: SQLite would make the file readable by everybody, and its logs inherit the mode.
 */
async function createDatabaseFile(file: string): Promise<void> {
  await refuseOrphanedLog(file);
  const fresh = `${file}.new`;
  for (const suffix of ['-wal', '-shm']) await rm(fresh + suffix, { force: true });
  await replaceFile(fresh, '', { mode: 0o600 });
  const connection = await openConnection(fresh, { create: true });
  await connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA wal_checkpoint(TRUNCATE)`);
  await connection.close();
  await rename(fresh, file);
  await syncFolder(dirname(file));
}

/** SQLite would replay the log of a lost database into a new one. */
async function refuseOrphanedLog(file: string): Promise<void> {
  const log = `${file}-wal`;
  const { size } = await stat(log).catch(() => ({ size: 0 }));
  if (size === 0) return;
  const advice = 'Put the file back, or move the log away as well to start with an empty database.';
  throw refusal(`${file} is missing, but its log ${log} exists and holds the latest writes. ${advice}`);
}

function refusal(message: string): AppError {
  return new AppError('unprocessable', message);
}
