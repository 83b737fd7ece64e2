import { join } from 'node:path';
import { readPlainFile } from '../db/private-file.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { parseTimestamp, toTimestamp } from '../lib/clock.ts';

const fileIn = (dataDir: string) => join(dataDir, 'last-backup');

/** Stores in the data folder when its database was backed up, to any file. */
export async function noteBackup(dataDir: string, atMs: number): Promise<void> {
  await replaceFile(fileIn(dataDir), `${toTimestamp(atMs)}\n`, { mode: 0o600 });
}

/** When the data folder's database was last backed up; `undefined` if no backup is known. */
export async function lastBackupMs(dataDir: string): Promise<number | undefined> {
  const text = await readPlainFile(fileIn(dataDir)).catch(() => '');
  return parseTimestamp(text.trim());
}
