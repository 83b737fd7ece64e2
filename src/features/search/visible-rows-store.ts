import type { ItemType } from '../../contract/search.ts';
import type { Reader, Value } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import { createWideRows } from '../../db/row-codec.ts';
import { memoryRows } from '../memories/memory-row.ts';
import type { CandidateFacts, CandidateQuery, ItemRows } from './candidate.ts';
import type { SourceSearch } from './source-search.ts';
import { type Lookup, SOURCES, visibleConditions } from './sources-store.ts';

/** Part of a statement with its bound values. */
export interface Sql {
  sql: string;
  values: Value[];
}

/**
 * A bound list of numbers, each with the one before it, as the relation `f`. With OFFSET 0, PostgreSQL does not see that
 * one is computed: row-level security lets only bare comparisons use an index.
 */
const LISTED: Record<Engine, string> = {
  sqlite: '(SELECT value AS number, value - 1 AS previous FROM numbers(?)) f',
  postgres: '(SELECT value AS number, value - 1 AS previous FROM numbers(?) OFFSET 0) f',
};

/**
 * Looks up rows one by one: CROSS JOIN makes SQLite keep the written order, and OFFSET 0 keeps PostgreSQL from reading all
 * rows of the tenant, which it does while a table has no statistics.
 */
function joinRows(engine: Engine, rows: string, tenantId: string): Sql {
  if (engine === 'sqlite') return { sql: `CROSS JOIN ${rows} m ON m.number = f.number`, values: [] };
  const lookup = `SELECT * FROM ${rows} WHERE tenantId = ? AND number = f.number OFFSET 0`;
  return { sql: `JOIN LATERAL (${lookup}) m ON TRUE`, values: [tenantId] };
}

/** Like `joinRows`, by columns of the rows before. PostgreSQL would otherwise start with all rows that the tenant has there. */
function join(engine: Engine, lookup: Lookup | undefined): string {
  if (lookup === undefined) return '';
  const { rows, as, by, isOptional = false } = lookup;
  const conditions = (prefix: string) =>
    Object.entries(by)
      .map(([column, value]) => `${prefix}${column} = ${value}`)
      .join(' AND ');
  if (engine === 'sqlite') return `${isOptional ? 'LEFT' : 'CROSS'} JOIN ${rows} ${as} ON ${conditions(`${as}.`)}`;
  const found = `(SELECT * FROM ${rows} WHERE ${conditions('')} OFFSET 0) ${as}`;
  return `${isOptional ? 'LEFT ' : ''}JOIN LATERAL ${found} ON TRUE`;
}

/** Joins the rows (`m`) that the query may show to a relation `f` with a `number` column, and `more` to those rows. */
function joinVisible({ reader, source, query }: Pick<SourceSearch, 'reader' | 'source' | 'query'>, more?: Lookup): Sql {
  const { engine } = reader;
  const conditions = visibleConditions(source, query, engine);
  const rows = joinRows(engine, source.rows, query.tenantId);
  const then = query.asOfMs === undefined ? undefined : source.lookupThen;
  return {
    sql: `${rows.sql} ${join(engine, source.extra.lookup)} ${join(engine, more)} ${join(engine, then)}
      WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`,
    values: [...rows.values, ...conditions.flatMap(([, value]) => (value === undefined ? [] : [value]))],
  };
}

/** `joinVisible` for an index lookup: empty unless the search is `visibleOnly`. */
export function joinLookup(search: SourceSearch): Sql {
  return search.visibleOnly ? joinVisible(search) : { sql: '', values: [] };
}

/** One long string: decoding 100,000 small rows would block the event loop. */
const AGGREGATE = {
  sqlite: 'json_group_array(f.number)',
  postgres: `COALESCE(CAST(json_agg(f.number) AS text), '[]')`,
};

/** Returns the rows that the query may show. */
export async function readVisible(search: SourceSearch, rowIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (rowIds.length === 0) return new Set();
  const { reader } = search;
  const visible = joinVisible(search);
  const row = await reader.get<{ numbers: string }>(
    `SELECT ${AGGREGATE[reader.engine]} AS numbers FROM ${LISTED[reader.engine]} ${visible.sql}`,
    [JSON.stringify(rowIds), ...visible.values],
  );
  return new Set(JSON.parse(row!.numbers) as number[]);
}

/** The facts of those rows that the query may show, and the first `characters` of their texts. */
export async function readFacts(
  search: Pick<SourceSearch, 'reader' | 'source' | 'query'>,
  rowIds: readonly number[],
  characters = 0,
): Promise<Map<number, CandidateFacts>> {
  if (rowIds.length === 0) return new Map();
  const { reader } = search;
  const { facts, text, at, until } = search.source;
  const visible = joinVisible(search, facts.lookup);
  const rows = await createWideRows<CandidateFacts>({
    ...{ rowId: 'm.number', id: 'm.id', at, until, speaker: facts.speaker, role: facts.role, length: facts.length },
    ...{ traits: 'm.traits', dates: 'm.dates', traitsBefore: facts.traitsBefore },
    ...(characters > 0 && { text: `SUBSTR(${text}, 1, ${characters})` }),
  }).all(reader, (columns) => `SELECT ${columns} FROM ${LISTED[reader.engine]} ${visible.sql}`, [
    JSON.stringify(rowIds),
    ...visible.values,
  ]);
  return new Map(rows.map((row) => [row.rowId, row]));
}

/** Loads whole rows; those that the query may not show are missing. */
export async function loadRows<T extends ItemType>(
  reader: Reader,
  query: CandidateQuery,
  type: T,
  rowIds: readonly number[],
): Promise<Map<number, ItemRows[T]>> {
  if (rowIds.length === 0) return new Map();
  const source = SOURCES[type];
  const visible = joinVisible({ reader, source, query });
  const sqlOf = (columns: string) => `SELECT ${columns} FROM ${LISTED[reader.engine]} ${visible.sql}`;
  const values = [JSON.stringify(rowIds), ...visible.values];
  const rows =
    type === 'memory'
      ? ((await memoryRows.all(reader, sqlOf, values)) as ItemRows[T][])
      : await reader.all<ItemRows[T]>(sqlOf(`m.*${source.extra.columns}`), values);
  return new Map(rows.map((row) => [row.number, row]));
}
