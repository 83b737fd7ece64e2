import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlainFile } from '../db/private-file.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import { parseTimestamp, toTimestamp } from '../lib/clock.ts';

/** When a whole check of the database ended, and how many problems it found. */
export interface LastCheck {
  atMs: number;
  problems: number;
}

const fileIn = (dataDir: string) => join(dataDir, 'last-check');

/** Stores in the data folder when its database was checked. */
export async function noteCheck(dataDir: string, { atMs, problems }: LastCheck): Promise<void> {
  await replaceFile(fileIn(dataDir), `${toTimestamp(atMs)} ${problems}\n`, { mode: 0o600 });
}

/** Forgets the check of a database that was replaced. */
export async function forgetCheck(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}

/** The last check of the data folder's database; `undefined` if none is known. */
export async function lastCheck(dataDir: string): Promise<LastCheck | undefined> {
  const [at = '', problems] = (await readPlainFile(fileIn(dataDir)).catch(() => '')).trim().split(' ');
  const atMs = parseTimestamp(at);
  return atMs === undefined ? undefined : { atMs, problems: Number(problems) };
}
