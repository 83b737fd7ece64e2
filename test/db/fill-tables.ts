import type { Connection, Value } from '../../src/db/connection.ts';

const SHADOW = /_(data|idx|docsize|config|content)$/;

/** How many rows every table gets. */
export const ROWS = 3;

/** Inserts rows that a migration must keep in every ordinary table and every full-text index, with ids from `firstRow`. */
export async function fillTables(connection: Connection, { firstRow = 1 } = {}): Promise<void> {
  await connection.exec('PRAGMA foreign_keys = OFF');
  const tables = await connection.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  const virtual = tables.filter(({ sql }) => /^CREATE VIRTUAL/i.test(sql)).map(({ name }) => name);
  const shadows = (name: string) => virtual.some((owner) => name.startsWith(`${owner}_`)) && SHADOW.test(name);
  const filled = tables.filter(({ name, sql }) => !shadows(name) && !/USING fts5vocab/i.test(sql));
  const columns = await connection.all<Column & { tableName: string }>(
    `SELECT t.value AS tableName, c.name, c.type FROM json_each(?) t, pragma_table_info(t.value) c ORDER BY t.key, c.cid`,
    [JSON.stringify(filled.map(({ name }) => name))],
  );
  const rows = Array.from({ length: ROWS }, (_, index) => firstRow + index);
  await connection.exec('BEGIN');
  for (const { name, sql } of filled) {
    const isVirtual = /^CREATE VIRTUAL/i.test(sql);
    const own = columns.filter(({ tableName }) => tableName === name);
    const names = [...(isVirtual ? ['rowid'] : []), ...own.map((column) => `"${column.name}"`)];
    const values = rows.flatMap((row) => [...(isVirtual ? [row] : []), ...own.map((column) => valueFor(column, row))]);
    const places = rows.map(() => `(${names.map(() => '?')})`);
    await connection.run(`INSERT INTO "${name}" (${names}) VALUES ${places}`, values);
  }
  await connection.exec('COMMIT');
}

interface Column {
  name: string;
  type: string;
}

function valueFor({ name, type }: Column, row: number): Value {
  if (/int|boolean|bool/i.test(type)) return row;
  if (/float|double/i.test(type)) return row + 0.1;
  if (/blob/i.test(type)) return Buffer.from([row]);
  return `${name}-${row}`;
}
