import type { Connection, Reader, Value } from '../../src/db/connection.ts';

// What tests ask a database of either engine about its own tables, so that a new table is covered without a line here.

interface Column {
  name: string;
  kind: 'number' | 'text' | 'bytes';
  /** An insert must give it: it may not be null and has no default, or it is the number that the daemon gives. */
  isRequired: boolean;
}

interface SqliteColumn {
  table: string;
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

interface PostgresColumn {
  table: string;
  name: string;
  type: string;
  isNullable: string;
  isIdentity: string;
  preset: string | null;
}

/** The names of all tables, without those that belong to an index of SQLite. */
export async function tableNames(reader: Reader): Promise<string[]> {
  return [...(await columnsByTable(reader)).keys()];
}

/** The names of those that have this column. */
export async function tablesWith(reader: Reader, column: string): Promise<string[]> {
  const tables = [...(await columnsByTable(reader))];
  return tables.filter(([, columns]) => columns.some(({ name }) => name === column)).map(([name]) => name);
}

/** The columns of each table, in its order. */
async function columnsByTable(reader: Reader): Promise<Map<string, Column[]>> {
  const byTable = new Map<string, Column[]>();
  for (const [table, column] of reader.engine === 'sqlite'
    ? await sqliteColumns(reader)
    : await postgresColumns(reader)) {
    byTable.set(table, [...(byTable.get(table) ?? []), column]);
  }
  return byTable;
}

async function sqliteColumns(reader: Reader): Promise<[table: string, Column][]> {
  const columns = await reader.all<SqliteColumn>(
    `SELECT tables.name AS "table", columns.* FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
     WHERE tables.type = 'table' AND tables.sql NOT LIKE 'CREATE VIRTUAL%' AND tables.name NOT LIKE '%Text\\_%' ESCAPE '\\'
     ORDER BY tables.name, columns.cid`,
  );
  const isRowId = ({ table, type, pk }: SqliteColumn) =>
    pk === 1 &&
    /^integer$/i.test(type) &&
    columns.filter((other) => other.table === table && other.pk > 0).length === 1;
  return columns.map((column) => [
    column.table,
    {
      name: column.name,
      kind: kindOf(column.type),
      isRequired:
        !isRowId(column) &&
        (column.name === 'number' || ((column.notnull === 1 || column.pk > 0) && column.dflt_value === null)),
    },
  ]);
}

async function postgresColumns(reader: Reader): Promise<[table: string, Column][]> {
  const columns = await reader.all<PostgresColumn>(
    `SELECT table_name AS "table", column_name AS name, data_type AS type, is_nullable AS isNullable,
       is_identity AS isIdentity, column_default AS preset
     FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
  );
  return columns.map(({ table, name, type, isNullable, isIdentity, preset }) => [
    table,
    {
      name,
      kind: kindOf(type),
      isRequired: isIdentity === 'NO' && (name === 'number' || (isNullable === 'NO' && preset === null)),
    },
  ]);
}

function kindOf(type: string): Column['kind'] {
  if (/int|real|float|double/i.test(type)) return 'number';
  return /blob|bytea/i.test(type) ? 'bytes' : 'text';
}

/** Counts the rows of a table whose columns have these values. */
export async function countRows(reader: Reader, table: string, where: Record<string, Value>): Promise<number> {
  const row = await reader.get<{ count: number }>(
    `SELECT COUNT(*) AS count FROM "${table}" WHERE ${Object.keys(where)
      .map((name) => `"${name}" = ?`)
      .join(' AND ')}`,
    Object.values(where),
  );
  return row!.count;
}

/** Counts the rows with these values in each table, omitting tables without any. */
export async function rowCounts(reader: Reader, where: Record<string, Value>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await tablesWith(reader, Object.keys(where)[0]!)) {
    const count = await countRows(reader, table, where);
    if (count > 0) counts[table] = count;
  }
  return counts;
}

/**
 * Counts the rows of each table that contain one of the texts in any column, omitting tables without any. One statement:
 * where each table was asked on its own, and each text, a busy server took ten seconds.
 */
export async function traces(reader: Reader, texts: readonly string[]): Promise<Record<string, number>> {
  const selects: string[] = [];
  const values: string[] = [];
  for (const [table, columns] of await columnsByTable(reader)) {
    const found = columns.flatMap((column) => texts.map(() => contains(reader, column))).join(' OR ');
    selects.push(`SELECT '${table}' AS name, COUNT(*) AS count FROM "${table}" WHERE ${found}`);
    values.push(...columns.flatMap(() => texts));
  }
  const rows = await reader.all<{ name: string; count: number }>(selects.join(' UNION ALL '), values);
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]));
}

function contains({ engine }: Reader, { name, kind }: Column): string {
  if (engine === 'sqlite') return `INSTR("${name}", ?)`;
  return kind === 'bytes'
    ? `POSITION(CONVERT_TO(?, 'UTF8') IN "${name}") > 0`
    : `POSITION(? IN CAST("${name}" AS TEXT)) > 0`;
}

let samples = 900_000;

/** Inserts a row with these values and samples where the table requires more; numbers are far beyond those in use. */
export async function insertSample(connection: Connection, table: string, own: Record<string, Value>): Promise<void> {
  const columns = (await columnsByTable(connection))
    .get(table)!
    .filter(({ name, isRequired }) => name in own || isRequired);
  const values = columns.map(({ name, kind }): Value => {
    samples += 1;
    return own[name] ?? { number: samples, bytes: Buffer.alloc(8, 1), text: `sample ${samples}` }[kind];
  });
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  await connection.run(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`, values);
}
