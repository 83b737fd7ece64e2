import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { type Connection, openPlainConnection } from './connection.ts';
import { ensurePrivateFile, readPlainFile } from './private-file.ts';
import { isLocked, isStorageFailure, type StorageFault } from './storage-error.ts';

/** An exclusive lock on a data folder. */
export interface FolderLock {
  release(): Promise<void>;
}

/** Activities that only one process may run in a folder at a time: of data or, for `upgrade`, of the installed program. */
export type Exclusive = 'daemon' | 'rotation' | 'move' | 'upgrade';

/**
 * Locks a data folder, so that it has one daemon, one master key rotation and one move at a time. The lock is the exclusive
 * lock of a small SQLite file: the operating system releases it however the process dies. Throws `conflict`, naming the
 * holder, if another process has it, and `unprocessable` if the folder is not writable. Only this user can open the
 * file, so that nobody else can hold its lock.
 */
export async function lockFolder(folder: string, pid: number, what: Exclusive = 'daemon'): Promise<FolderLock> {
  const holderFile = join(folder, `${what}.pid`);
  const lockFile = join(folder, `${what}.lock`);
  let connection: Connection | undefined;
  try {
    await ensurePrivateFile(lockFile);
    connection = await openPlainConnection(lockFile, { busyTimeoutMs: 200 });
    await connection.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    await replaceFile(holderFile, `${pid}\n`, { mode: 0o600 });
  } catch (error) {
    await connection?.close();
    throw await refusal(error, folder, holderFile, what);
  }
  const locked = connection;
  return {
    async release() {
      await rm(holderFile, { force: true });
      await locked.close();
    },
  };
}

async function refusal(error: unknown, folder: string, holderFile: string, what: Exclusive): Promise<AppError> {
  if (isLocked(error)) {
    const holder = await readHolder(holderFile);
    if (what === 'rotation') {
      return new AppError(
        'conflict',
        `Process ${holder} is rotating the master key of ${folder}. Wait for it to finish.`,
      );
    }
    if (what === 'move') {
      return new AppError('conflict', `Process ${holder} is moving the database of ${folder}. Wait for it to finish.`);
    }
    if (what === 'upgrade') {
      return new AppError('conflict', `Process ${holder} is upgrading the svc in ${folder}. Wait for it to finish.`);
    }
    const advice = 'Stop it first, or choose another SVC_DATA_DIR.';
    return new AppError('conflict', `Another svc daemon (process ${holder}) serves ${folder}. ${advice}`);
  }
  if (error instanceof AppError && !isStorageFailure(error)) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const fault = isStorageFailure(error) ? (error.cause as StorageFault).code : (code ?? message);
  return new AppError('unprocessable', `${folder} cannot be locked (${fault}). svc needs to write there.`);
}

/** The process id in the holder's file; `unknown` if it contains anything else. */
async function readHolder(file: string): Promise<string> {
  const text = await readPlainFile(file).catch(() => '');
  return /^\d+\s*$/.test(text) ? text.trim() : 'unknown';
}
