import type { Connection, Reader, Value } from '../../src/db/connection.ts';

// What tests ask a database of either engine about its own tables, so that a new table is covered without a line here.

export interface Column {
  name: string;
  kind: 'number' | 'text' | 'bytes';
  /** An insert must give it: it may not be null and has no default, or it is the number that the daemon gives. */
  isRequired: boolean;
}

interface SqliteColumn {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

interface PostgresColumn {
  name: string;
  type: string;
  isNullable: string;
  isIdentity: string;
  preset: string | null;
}

/** The names of all tables, without those that belong to an index of SQLite. */
export async function tableNames(reader: Reader): Promise<string[]> {
  const sql =
    reader.engine === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
           AND name NOT LIKE '%Text\\_%' ESCAPE '\\' ORDER BY name`
      : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1`;
  return (await reader.all<{ name: string }>(sql)).map(({ name }) => name);
}

/** The names of those that have this column. */
export async function tablesWith(reader: Reader, column: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await tableNames(reader)) {
    if ((await columnsOf(reader, name)).some((each) => each.name === column)) found.push(name);
  }
  return found;
}

/** The columns of a table, in its order. */
export async function columnsOf(reader: Reader, table: string): Promise<Column[]> {
  if (reader.engine === 'sqlite') {
    const columns = await reader.all<SqliteColumn>('SELECT * FROM pragma_table_info(?)', [table]);
    const keyWidth = columns.filter(({ pk }) => pk > 0).length;
    const isRowId = ({ type, pk }: SqliteColumn) => pk === 1 && keyWidth === 1 && /^integer$/i.test(type);
    return columns.map((column) => ({
      name: column.name,
      kind: kindOf(column.type),
      isRequired:
        !isRowId(column) &&
        (column.name === 'number' || ((column.notnull === 1 || column.pk > 0) && column.dflt_value === null)),
    }));
  }
  const columns = await reader.all<PostgresColumn>(
    `SELECT column_name AS name, data_type AS type, is_nullable AS isNullable, is_identity AS isIdentity,
       column_default AS preset
     FROM information_schema.columns WHERE table_schema = 'public' AND table_name = ? ORDER BY ordinal_position`,
    [table],
  );
  return columns.map(({ name, type, isNullable, isIdentity, preset }) => ({
    name,
    kind: kindOf(type),
    isRequired: isIdentity === 'NO' && (name === 'number' || (isNullable === 'NO' && preset === null)),
  }));
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

/** Counts the rows of each table that contain one of the texts in any column, omitting tables without any. */
export async function traces(reader: Reader, texts: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await tableNames(reader)) {
    const columns = await columnsOf(reader, table);
    const found = columns.map((column) => texts.map(() => contains(reader, column)).join(' OR ')).join(' OR ');
    const row = await reader.get<{ count: number }>(
      `SELECT COUNT(*) AS count FROM "${table}" WHERE ${found}`,
      columns.flatMap(() => texts),
    );
    if (row!.count > 0) counts[table] = row!.count;
  }
  return counts;
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
  const columns = (await columnsOf(connection, table)).filter(({ name, isRequired }) => name in own || isRequired);
  const values = columns.map(({ name, kind }): Value => {
    samples += 1;
    return own[name] ?? { number: samples, bytes: Buffer.alloc(8, 1), text: `sample ${samples}` }[kind];
  });
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  await connection.run(`INSERT INTO "${table}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`, values);
}
