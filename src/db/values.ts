import type { ProjectFilter } from '../contract/project.ts';
import type { Connection, Value } from './connection.ts';

/** Placeholders for `rows` rows of `width` values: `(?,?),(?,?)`. */
export function placeholders(rows: number, width: number): string {
  const row = `(${Array(width).fill('?').join(',')})`;
  return Array(rows).fill(row).join(',');
}

/** Placeholders for `IN (…)`: `?,?,?`. */
export function listPlaceholders(count: number): string {
  return Array(count).fill('?').join(',');
}

/** Pads a list to a power of two with its last value, so that lists of any length share a few prepared statements. */
export function padToPowerOfTwo<T>(values: readonly T[]): T[] {
  const width = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)));
  return [...values, ...Array<T>(width - values.length).fill(values[values.length - 1]!)];
}

const MAX_ROWS = 64;

/**
 * Runs `head VALUES (…),(…) tail` for all rows, at most 64 per statement, so that any number of rows shares 64 prepared
 * statements. Returns the rows of `RETURNING` in `tail`.
 */
export async function insertRows<T>(
  connection: Connection,
  head: string,
  rows: readonly (readonly Value[])[],
  tail = '',
): Promise<T[]> {
  const returned: T[] = [];
  for (let start = 0; start < rows.length; start += MAX_ROWS) {
    const chunk = rows.slice(start, start + MAX_ROWS);
    const sql = `${head} VALUES ${placeholders(chunk.length, chunk[0]!.length)} ${tail}`;
    returned.push(...(await connection.all<T>(sql, chunk.flat())));
  }
  return returned;
}

/** The names of all columns of `Row`: the compiler asks for each of them. */
export function columnNames<Row extends object>(names: Record<keyof Row, true>): readonly (keyof Row)[] {
  return Object.keys(names) as (keyof Row)[];
}

/** The UTF-8 bytes of some columns together; `null` has none. */
export function textBytesOf<Column extends string>(
  row: Readonly<Record<Column, string | null>>,
  columns: readonly Column[],
): number {
  return columns.reduce((sum, column) => sum + Buffer.byteLength(row[column] ?? ''), 0);
}

/** The values of some columns, in their order. */
export function valuesOf<Column extends string>(
  row: Readonly<Record<Column, Value>>,
  columns: readonly Column[],
): Value[] {
  return columns.map((column) => row[column]);
}

/** Returns the SQL condition on a project column with its bound value; empty without a filter. */
export function projectConditions(filter: ProjectFilter | undefined, column: string): [sql: string, value: string][] {
  if (filter === undefined) return [];
  return [[filter.only ? `${column} = ?` : `(${column} = ? OR ${column} IS NULL)`, filter.name]];
}
