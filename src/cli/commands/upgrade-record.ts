import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { UpgradeRecord } from '../upgrade/plan.ts';

const fileIn = (folder: string) => join(folder, 'upgrade.json');

/** Reads the record of an installation; `undefined` if it was never upgraded, or the file is damaged. */
export async function readRecord(folder: string): Promise<UpgradeRecord | undefined> {
  const text = await readFile(fileIn(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Stores the record in one step, durably. */
export async function writeRecord(folder: string, record: UpgradeRecord): Promise<void> {
  await replaceFile(fileIn(folder), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o644 });
}

export async function removeRecord(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true });
}
