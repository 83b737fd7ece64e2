import type { Connection, Reader, Value } from '../connection.ts';
import type { Database } from '../open.ts';
import { insertRows } from '../values.ts';
import { compareKeys, type MovedRow, rowsOf } from './moved-rows.ts';
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts';

/** A row that the full-text index has an entry for. */
interface TextRow {
  tenantId: string;
  scope: number;
  number: number;
}

/** Keeps the full-text index of the target, in the transaction that writes the rows. */
export interface MovedTexts {
  added(connection: Connection, type: NonNullable<MovedTable['indexedAs']>, rows: readonly TextRow[]): Promise<void>;
  removed(connection: Connection, type: NonNullable<MovedTable['indexedAs']>, rows: readonly TextRow[]): Promise<void>;
}

/** A copy from a view of one database, which does not change, into another. */
export interface Copy {
  source: Reader;
  target: Database;
  texts: MovedTexts;
  /** Called before each transaction with the number of its rows. */
  onRows(count: number): void;
}

/** Limits of one transaction. */
const MAX_ROWS = 1000;
const MAX_CHARACTERS = 8_000_000;

/** Tenants by table; `undefined` for all. */
export type TenantsByTable = ReadonlyMap<MovedTable, readonly string[] | undefined>;

/** Makes these tables of the target equal to the source's. */
export async function copyTables(copy: Copy, tenantsOf: TenantsByTable): Promise<void> {
  const tables = MOVED_TABLES.filter((table) => tenantsOf.has(table));
  for (const table of tables.toReversed()) await deleteDifferent(copy, table, tenantsOf.get(table));
  for (const table of tables) await addMissing(copy, table, tenantsOf.get(table));
}

/**
 * Deletes from the target what differs from the source, so that no row added later meets one that takes its number or
 * its place in a unique index.
 */
async function deleteDifferent(copy: Copy, table: MovedTable, tenantIds?: readonly string[]): Promise<void> {
  const { source, target, texts, onRows } = copy;
  if (await isEmpty(target.readers, table)) return;
  for await (const rows of batchesOf(surplus(source, target.readers, table, tenantIds))) {
    onRows(rows.length);
    await target.writes.write('daemon', async (connection) => {
      if (table.indexedAs) await texts.removed(connection, table.indexedAs, textRowsOf(table, rows));
      for (const row of rows) await deleteRow(connection, table, row);
    });
  }
}

/** Adds to the target what it does not have, and changes rows that are changed in place. */
async function addMissing(copy: Copy, table: MovedTable, tenantIds?: readonly string[]): Promise<void> {
  const { source, target, texts, onRows } = copy;
  for await (const rows of batchesOf(missing(source, target.readers, table, tenantIds))) {
    onRows(rows.length);
    await target.writes.write('daemon', async (connection) => {
      await addRows(connection, table, rows);
      if (table.indexedAs) await texts.added(connection, table.indexedAs, textRowsOf(table, rows));
    });
  }
}

/** Whether a table has no rows. */
export async function isEmpty(reader: Reader, { name }: MovedTable): Promise<boolean> {
  return (await reader.get(`SELECT 1 FROM ${name} LIMIT 1`)) === undefined;
}

/** Counts the rows of all tables that a move copies. */
export async function countRows(reader: Reader): Promise<number> {
  let rows = 0;
  for (const { name } of MOVED_TABLES) {
    rows += (await reader.get<{ rows: number }>(`SELECT COUNT(*) AS rows FROM ${name}`))!.rows;
  }
  return rows;
}

async function* surplus(...of: Parameters<typeof pairsOf>): AsyncGenerator<MovedRow & { isChanged: boolean }> {
  for await (const { mine, theirs } of pairsOf(...of)) {
    if (theirs && theirs.canonical !== mine?.canonical) yield { ...theirs, isChanged: mine !== undefined };
  }
}

async function* missing(...of: Parameters<typeof pairsOf>): AsyncGenerator<MovedRow> {
  for await (const { mine, theirs } of pairsOf(...of)) {
    if (mine && theirs?.canonical !== mine.canonical) yield mine;
  }
}

/** The rows of both databases by ascending key, rows with the same key together. */
async function* pairsOf(
  source: Reader,
  target: Reader,
  table: MovedTable,
  tenantIds?: readonly string[],
): AsyncGenerator<{ mine?: MovedRow; theirs?: MovedRow }> {
  const sources = rowsOf(source, table, tenantIds);
  const targets = rowsOf(target, table, tenantIds);
  let [mine, theirs] = await Promise.all([sources.next(), targets.next()]);
  while (!mine.done || !theirs.done) {
    const order = mine.done ? 1 : theirs.done ? -1 : compareKeys(table, mine.value, theirs.value);
    yield { ...(order <= 0 && { mine: mine.value! }), ...(order >= 0 && { theirs: theirs.value! }) };
    [mine, theirs] = await Promise.all([order <= 0 ? sources.next() : mine, order >= 0 ? targets.next() : theirs]);
  }
}

async function* batchesOf<Row extends MovedRow>(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for await (const row of rows) {
    batch.push(row);
    characters += row.canonical.length;
    if (batch.length < MAX_ROWS && characters < MAX_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function deleteRow(
  connection: Connection,
  { name, key, unique }: MovedTable,
  { values, isChanged }: MovedRow & { isChanged: boolean },
): Promise<void> {
  const where = `WHERE ${key.map((column) => `${column} = ?`).join(' AND ')}`;
  const keyValues = values.slice(0, key.length);
  if (unique === undefined || !isChanged) {
    await connection.run(`DELETE FROM ${name} ${where}`, keyValues);
  } else {
    await connection.run(`UPDATE ${name} SET ${unique} = ${key[0]} ${where}`, keyValues);
  }
}

async function addRows(connection: Connection, table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
  const { name, key, columns, unique } = table;
  const changed = columns.slice(key.length).map((column) => `${column} = excluded.${column}`);
  const tail = unique === undefined ? '' : `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changed.join(', ')}`;
  const values = rows.map((row): Value[] => row.values);
  await insertRows(connection, `INSERT INTO ${name} (${columns.join(', ')})`, values, tail);
}

function textRowsOf({ columns }: MovedTable, rows: readonly MovedRow[]): TextRow[] {
  const [scope, number] = [columns.indexOf('scope'), columns.indexOf('number')];
  return rows.map(({ tenantId, values }) => {
    return { tenantId, scope: values[scope] as number, number: values[number] as number };
  });
}
