import type { Connection } from './connection.ts';

/** Rows of a tenant that are being erased, by table; `texts` are columns without an index. */
export interface ErasedRows {
  table: string;
  texts: readonly string[];
  tenantId: string;
  rowIds: readonly number[];
}

/**
 * Deletes rows, on SQLite after overwriting their texts in place: `secure_delete` zeroes a deleted row, but while the rows
 * around it are deleted SQLite moves it between pages, and leaves its bytes in the page that it came from.
 */
export async function eraseRows(connection: Connection, { table, texts, tenantId, rowIds }: ErasedRows): Promise<void> {
  const values = [JSON.stringify(rowIds), tenantId];
  // The tenant is checked without its index, which would lead through all rows of the tenant for every portion.
  const rows = 'number IN (SELECT value FROM numbers(?)) AND (tenantId = ?) IS TRUE';
  if (connection.engine === 'sqlite') {
    await connection.run(`UPDATE ${table} SET ${texts.map(blank).join(', ')} WHERE ${rows}`, values);
  }
  await connection.run(`DELETE FROM ${table} WHERE ${rows}`, values);
}

function blank(column: string): string {
  return `${column} = CASE WHEN ${column} IS NULL THEN NULL
    ELSE CAST(zeroblob(LENGTH(CAST(${column} AS BLOB))) AS TEXT) END`;
}
