import { stat } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { type Connection, openConnection } from './connection.ts';
import { QUICK_CHECK_BYTES } from './quick-check.ts';
import { isCorrupt } from './storage-error.ts';

const MAX_PROBLEMS = 20;

/** Runs SQLite's check on the file, read-only, and returns the problems found. */
export async function integrityProblems(file: string, check: 'quick_check' | 'integrity_check'): Promise<string[]> {
  return unlessCorrupt(async () => {
    const connection = await openConnection(file, { readOnly: true });
    return pragmaProblems(connection, `${check}(${MAX_PROBLEMS})`).finally(() => connection.close());
  });
}

/** Checks every page of the file, read-only, apart from the content of full-text indices, which can be made anew. */
export async function filePageProblems(file: string): Promise<string[]> {
  return (await integrityProblems(file, 'quick_check')).filter((problem) => !FULL_TEXT.test(problem));
}

/** Problems of a full-text index. */
const FULL_TEXT = /\bfts5\b/i;

/** Returns the problems that `find` returns, or that it could not read the file. */
export async function unlessCorrupt(find: () => Promise<string[]>): Promise<string[]> {
  try {
    return await find();
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return ['its pages cannot be read as a database'];
  }
}

/** Lists the tables of the file, those of the full-text indices included. */
export async function listTables(connection: Connection): Promise<string[]> {
  const rows = await connection.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name",
  );
  return rows.map(({ name }) => name);
}

/** Compares a table's indices with its rows. Of a full-text index, it reads the whole index. */
export async function tableProblems(connection: Connection, table: string): Promise<string[]> {
  return pragmaProblems(connection, `integrity_check("${table}")`);
}

/** Lists rows that refer to a row that does not exist. */
export async function referenceProblems(connection: Connection): Promise<string[]> {
  const rows = await connection.all<{ table: string; parent: string }>('PRAGMA foreign_key_check');
  return rows
    .slice(0, MAX_PROBLEMS)
    .map(({ table, parent }) => `a row of ${table} refers to a missing row of ${parent}`);
}

async function pragmaProblems(connection: Connection, pragma: string): Promise<string[]> {
  const rows = await connection.all<Record<string, string>>(`PRAGMA ${pragma}`);
  const lines = rows.map((row) => Object.values(row)[0] ?? '').filter((line) => line !== 'ok');
  return lines.slice(0, MAX_PROBLEMS);
}

/** Throws `unprocessable` if the file is corrupt; files too large for a quick check pass. Read-only. */
export async function refuseCorrupt(file: string): Promise<void> {
  const { size } = await stat(file);
  if (size > QUICK_CHECK_BYTES) return;
  const problems = await integrityProblems(file, 'quick_check');
  const problem = problems.find((each) => !FULL_TEXT.test(each)) ?? problems[0];
  if (problem === undefined) return;
  const advice = FULL_TEXT.test(problem)
    ? 'Run svc admin reindex; the file was not changed.'
    : 'Restore a backup; the file was not changed.';
  throw new AppError('unprocessable', `${file} is corrupt (${problem}). ${advice}`);
}
