import type sqlite3 from 'sqlite3';
import { createConnection, openDriver } from './connection.ts';
import { storageError } from './storage-error.ts';

/** Told about long work: how much of it is done, 0 to 1. */
export type OnProgress = (share: number) => void;

/** Some 8 MiB: often enough for a progress bar, seldom enough to cost nothing. */
const STEP_PAGES = 2048;

/**
 * Copies the database at `file` as it is at this moment into the empty file `draft`, while others read and write it.
 * The steps of SQLite's backup start anew whenever somebody else commits; here a read transaction on the same
 * connection holds one state of the file from the first step to the last, so that the copy ends whatever is written
 * meanwhile. No writer waits for it; what they write stays in the write-ahead log until it is done.
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

/** What the driver offers and its types leave out. */
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
