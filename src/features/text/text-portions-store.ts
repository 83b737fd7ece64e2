import type { ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows, listPlaceholders } from '../../db/values.ts';
import { ROWS_OF } from './text-index-check.ts';

/** A tenant's items of one type. */
export interface TextOwner {
  tenantId: string;
  type: ItemType;
}

export async function insertToIndex(
  connection: Connection,
  type: ItemType,
  rows: readonly { tenantId: string; number: number }[],
): Promise<void> {
  const values = rows.map(({ tenantId, number }) => [tenantId, type, number]);
  await insertRows(connection, 'INSERT INTO textsToIndex (tenantId, type, number)', values);
}

/** Lists every row of a type as one to index. */
export async function insertAllToIndex(connection: Connection, type: ItemType): Promise<void> {
  await connection.run('DELETE FROM textsToIndex WHERE type = ?', [type]);
  await connection.run(
    `INSERT INTO textsToIndex (tenantId, type, number) SELECT tenantId, '${type}', number FROM ${ROWS_OF[type]}`,
  );
}

/** Lists the first rows to index, by number. */
export async function listToIndex(reader: Reader, { tenantId, type }: TextOwner, limit: number): Promise<number[]> {
  const rows = await reader.all<{ number: number }>(
    'SELECT number FROM textsToIndex WHERE tenantId = ? AND type = ? ORDER BY number LIMIT ?',
    [tenantId, type, limit],
  );
  return rows.map(({ number }) => number);
}

/** Lists the tenants that have rows to index. */
export async function listTenantsToIndex(reader: Reader, type: ItemType): Promise<string[]> {
  const rows = await reader.all<{ tenantId: string }>('SELECT DISTINCT tenantId FROM textsToIndex WHERE type = ?', [
    type,
  ]);
  return rows.map(({ tenantId }) => tenantId);
}

export async function deleteToIndex(
  connection: Connection,
  { tenantId, type }: TextOwner,
  numbers: readonly number[],
): Promise<void> {
  await connection.run(
    `DELETE FROM textsToIndex WHERE tenantId = ? AND type = ? AND number IN (${listPlaceholders(numbers.length)})`,
    [tenantId, type, ...numbers],
  );
}

/** Counts the rows to index of all tenants. */
export async function countToIndex(reader: Reader): Promise<number> {
  const row = await reader.get<{ rows: number }>('SELECT COUNT(*) AS rows FROM textsToIndex');
  return row!.rows;
}

/** Deletes the rows to index of all types. */
export async function deleteAllToIndex(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM textsToIndex WHERE tenantId = ?', [tenantId]);
}
