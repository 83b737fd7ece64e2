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
  for (const { name, sql } of filled) {
    const columns = await connection.all<{ name: string; type: string }>(`PRAGMA table_info("${name}")`);
    const isVirtual = /^CREATE VIRTUAL/i.test(sql);
    for (let row = firstRow; row < firstRow + ROWS; row += 1) {
      const values = columns.map((column) => valueFor(column, row));
      const names = [...(isVirtual ? ['rowid'] : []), ...columns.map((column) => `"${column.name}"`)];
      const all: Value[] = [...(isVirtual ? [row] : []), ...values];
      await connection.run(`INSERT INTO "${name}" (${names}) VALUES (${all.map(() => '?')})`, all);
    }
  }
}

function valueFor({ name, type }: { name: string; type: string }, row: number): Value {
  if (/int|boolean|bool/i.test(type)) return row;
  if (/float|double/i.test(type)) return row + 0.1;
  if (/blob/i.test(type)) return Buffer.from([row]);
  return `${name}-${row}`;
}
