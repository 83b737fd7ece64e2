import { stat } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { type Connection, openConnection } from './connection.ts';
import { isCorrupt } from './storage-error.ts';

/** Files up to this size are checked at each start (about a quarter of a second). */
const QUICK_CHECK_BYTES = 64 * 1024 * 1024;

/** Runs SQLite's check on the file, read-only, and returns the problems found. */
export async function integrityProblems(file: string, check: 'quick_check' | 'integrity_check'): Promise<string[]> {
  let connection: Connection | undefined;
  try {
    connection = await openConnection(file, { readOnly: true });
    const rows = await connection.all<Record<string, string>>(`PRAGMA ${check}(20)`);
    return rows.map((row) => Object.values(row)[0] ?? '').filter((line) => line !== 'ok');
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return ['its pages cannot be read as a database'];
  } finally {
    await connection?.close();
  }
}

/** Throws `unprocessable` if the file is corrupt; files too large for a quick check pass. Read-only. */
export async function refuseCorrupt(file: string): Promise<void> {
  const { size } = await stat(file);
  if (size > QUICK_CHECK_BYTES) return;
  const [problem] = await integrityProblems(file, 'quick_check');
  if (problem === undefined) return;
  const advice = 'Restore a backup; the file was not changed.';
  throw new AppError('unprocessable', `${file} is corrupt (${problem}). ${advice}`);
}
