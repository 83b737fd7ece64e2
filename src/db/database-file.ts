import { access, constants, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { openConnection } from './connection.ts';

/** `svc1` in ASCII: marks a database file as ours (the application_id of the SQLite file format). */
export const APPLICATION_ID = 0x73766331;
const MAGIC = 'SQLite format 3\0';

/**
 * Makes sure that `svc.db` in `folder` is there and is ours, reading nothing but its header, and returns its path.
 * Throws `unprocessable` with what to do where it is empty, foreign, no database, not writable or gone without its log;
 * the file is untouched.
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

/** The first 100 bytes, or what there is; `undefined` where there is no file. Throws `unprocessable` where it is unreadable. */
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
    throw refusal(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Check who owns it.`);
  }
}

/** What keeps a file with this header from being a database of ours. */
export function headerFault(header: Buffer): 'empty' | 'no database' | 'foreign' | undefined {
  if (header.length === 0) return 'empty';
  if (header.length < 100 || header.toString('latin1', 0, 16) !== MAGIC) return 'no database';
  return header.readUInt32BE(68) === APPLICATION_ID ? undefined : 'foreign';
}

function refuseForeign(file: string, header: Buffer): void {
  const advice = 'Restore a backup, or move the file away to start with an empty memory.';
  switch (headerFault(header)) {
    case 'empty':
      throw refusal(`${file} is empty: something emptied it. ${advice}`);
    case 'no database':
      throw refusal(`${file} is no SQLite database. ${advice}`);
    case 'foreign':
      throw refusal(`${file} is a database of another program. Choose another data folder (SVC_DATA_DIR).`);
  }
}

async function refuseReadOnly(path: string): Promise<void> {
  const { mode } = await stat(path);
  // root may write where nobody is meant to: the mode bits tell what the owner wants.
  const meant = (mode & 0o222) !== 0;
  const able = await access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!meant || !able) throw refusal(`${path} is read-only. svc needs to write to it: check its owner and mode.`);
}

/**
 * Writes the new file aside and renames it, so that a kill in between leaves no half-made database. SQLite would let
 * everybody read it, and gives its logs the mode that it has.
 */
async function createDatabaseFile(file: string): Promise<void> {
  await refuseOrphanedLog(file);
  const fresh = `${file}.new`;
  for (const suffix of ['', '-wal', '-shm']) await rm(fresh + suffix, { force: true });
  await writeFile(fresh, '', { mode: 0o600 });
  const connection = await openConnection(fresh, { create: true });
  await connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA wal_checkpoint(TRUNCATE)`);
  await connection.close();
  await rename(fresh, file);
}

/** SQLite would play the log of a lost database into a new one. */
async function refuseOrphanedLog(file: string): Promise<void> {
  const log = `${file}-wal`;
  const { size } = await stat(log).catch(() => ({ size: 0 }));
  if (size === 0) return;
  const advice = `Put the file back, or move the log away too to start with an empty memory.`;
  throw refusal(`${file} is gone, but its log ${log} is there and holds what was written last. ${advice}`);
}

function refusal(message: string): AppError {
  return new AppError('unprocessable', message);
}
