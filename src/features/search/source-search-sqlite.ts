import type { Reader, Value } from '../../db/connection.ts';
import type { WordTotals } from '../text/word-totals.ts';
import type { CandidateQuery } from './candidate.ts';
import type { Postings } from './postings.ts';
import { type Source, visibleConditions } from './sources-sqlite.ts';

/** One query against one source. Every statement that finds its candidates is built from this. */
export interface SourceSearch {
  reader: Reader;
  query: CandidateQuery;
  source: Source;
  postings: Postings;
  /** Of the user's documents. */
  totals: WordTotals;
  /** Whether index lookups join the rows so that they return only those the query may show. */
  visibleOnly: boolean;
}

/** Index lookups skip the join, which is slower, where the query may show every current row. */
export function createSourceSearch(parts: Omit<SourceSearch, 'visibleOnly'>): SourceSearch {
  const { query, source } = parts;
  const isFiltered = visibleConditions(source, query).length > source.visible(query).length + 1;
  return { ...parts, visibleOnly: query.asOfMs !== undefined || isFiltered };
}

/** The partitions of the full-text index that can hold rows for this query. */
export function partsOf({ query, source }: SourceSearch): readonly ('live' | 'past')[] {
  return query.asOfMs === undefined ? ['live'] : source.partsThen;
}

/** Part of a statement with its bound values. */
export interface Sql {
  sql: string;
  values: Value[];
}

/**
 * Joins the rows (`m`) that the query may show to a relation `f` with a `number` column, and `join` to those rows.
 * CROSS JOIN makes SQLite keep the written order: first the index, then the rows by number.
 */
export function joinVisible({ source, query }: Pick<SourceSearch, 'source' | 'query'>, join = ''): Sql {
  const conditions = visibleConditions(source, query);
  return {
    sql: `CROSS JOIN ${source.rows} m ON m.number = f.number ${source.extra.join} ${join}
      ${query.asOfMs === undefined ? '' : source.joinThen}
      WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`,
    values: conditions.map(([, value]) => value),
  };
}

/** `joinVisible` for an index lookup: empty unless the search is `visibleOnly`. */
export function joinLookup(search: SourceSearch): Sql {
  return search.visibleOnly ? joinVisible(search) : { sql: '', values: [] };
}

/** Those of the rows that the query may show. */
export async function readVisible(search: SourceSearch, rowIds: readonly number[]): Promise<ReadonlySet<number>> {
  const join = joinVisible(search);
  const row = await search.reader.get<{ numbers: string }>(
    `SELECT json_group_array(f.number) AS numbers FROM (SELECT value AS number FROM json_each(?)) f ${join.sql}`,
    [JSON.stringify(rowIds), ...join.values],
  );
  return new Set(JSON.parse(row!.numbers) as number[]);
}
