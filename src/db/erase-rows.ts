import type { Connection } from './connection.ts';

/** Rows of a tenant that are being erased, by table; `texts` are columns without an index. */
export interface ErasedRows {
  table: string;
  texts: readonly string[];
  tenantId: string;
  rowIds: readonly number[];
}

// The tenant is checked without its index, which would lead through all rows of the tenant for every portion.
const ROWS = 'number IN (SELECT value FROM numbers(?)) AND (tenantId = ?) IS TRUE';

/** Deletes rows after overwriting their texts. */
export async function eraseRows(connection: Connection, rows: ErasedRows): Promise<void> {
  await blankRows(connection, rows);
  await connection.run(`DELETE FROM ${rows.table} WHERE ${ROWS}`, [JSON.stringify(rows.rowIds), rows.tenantId]);
}

/**
 * Overwrites the texts of rows in place on SQLite: `secure_delete` zeroes a deleted row, but while the rows around it are
 * deleted SQLite moves it between pages, and leaves its bytes in the page that it came from.
 */
export async function blankRows(connection: Connection, { table, texts, tenantId, rowIds }: ErasedRows): Promise<void> {
  if (connection.engine !== 'sqlite') return;
  const values = [JSON.stringify(rowIds), tenantId];
  await connection.run(`UPDATE ${table} SET ${texts.map(blank).join(', ')} WHERE ${ROWS}`, values);
}

function blank(column: string): string {
  return `${column} = CASE WHEN ${column} IS NULL THEN NULL
    ELSE CAST(zeroblob(LENGTH(CAST(${column} AS BLOB))) AS TEXT) END`;
}
