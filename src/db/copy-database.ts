import type sqlite3 from 'sqlite3';
import { createConnection, openDriver } from './connection.ts';
import { storageError } from './storage-error.ts';

/** Receives the progress of long work, from 0 to 1. */
export type OnProgress = (fraction: number) => void;

/** About 8 MiB: often enough for a progress bar, rarely enough to cost nothing. */
const STEP_PAGES = 2048;

/**
 * Copies the current state of the database at `file` into the empty file `draft`, while others read and write it.
 * SQLite's backup restarts whenever another connection commits. A read transaction on the same connection holds one
 * snapshot from the first step to the last, so that the copy finishes whatever is written meanwhile. Writers do not
 * wait; their changes stay in the write-ahead log until the copy is done.
 */
export async function copyDatabase(
  file: string,
  draft: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<void> {
  const raw = await openDriver(file);
  const connection = createConnection(raw);
  try {
    await connection.exec('BEGIN; SELECT count(*) FROM sqlite_master');
    const backup = await beginBackup(raw, draft);
    try {
      while (!(await step(backup))) {
        signal.throwIfAborted();
        onProgress(1 - backup.remaining / backup.pageCount);
      }
      onProgress(1);
    } finally {
      await new Promise<void>((resolve) => backup.finish(() => resolve()));
    }
    await connection.exec('COMMIT');
  } finally {
    await connection.close();
  }
}

/** The driver's backup object, which its types omit. */
interface DriverBackup {
  readonly remaining: number;
  readonly pageCount: number;
  step(pages: number, done: (error: Error | null, completed: boolean) => void): void;
  finish(done: () => void): void;
}

function beginBackup(raw: sqlite3.Database, draft: string): Promise<DriverBackup> {
  const driver = raw as sqlite3.Database & {
    backup(file: string, done: (error: Error | null) => void): DriverBackup;
  };
  return new Promise((resolve, reject) => {
    const backup = driver.backup(draft, (error) => (error ? reject(storageError(error)) : resolve(backup)));
  });
}

function step(backup: DriverBackup): Promise<boolean> {
  return new Promise((resolve, reject) => {
    backup.step(STEP_PAGES, (error, completed) => (error ? reject(storageError(error)) : resolve(completed)));
  });
}
