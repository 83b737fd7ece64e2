import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { openConnection } from './connection.ts';

/** Held while a daemon lives; `release` lets the next one in. */
export interface FolderLock {
  release(): Promise<void>;
}

/**
 * One daemon a data folder. The lock is the exclusive lock of a small SQLite file: the operating system gives it back
 * when the process dies, however it dies. Throws `conflict`, naming the holder, where another daemon has it.
 */
export async function lockFolder(folder: string, pid: number): Promise<FolderLock> {
  const holderFile = join(folder, 'daemon.pid');
  const connection = await openConnection(join(folder, 'daemon.lock'), { busyTimeoutMs: 200, readOnly: false }).catch(
    () => undefined,
  );
  try {
    if (!connection) throw new Error('locked');
    await connection.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch {
    await connection?.close();
    const holder = await readFile(holderFile, 'utf8').catch(() => 'unknown');
    throw new AppError(
      'conflict',
      `Another svc daemon (process ${holder.trim()}) serves ${folder}. Stop it first, or choose another SVC_DATA_DIR.`,
    );
  }
  await writeFile(holderFile, `${pid}\n`, { mode: 0o600 });
  return {
    async release() {
      await rm(holderFile, { force: true });
      await connection.close();
    },
  };
}
