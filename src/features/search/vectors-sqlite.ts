import type { ItemType } from '../../contract/search.ts';
import type { Value } from '../../db/connection.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import { joinLookup, type SourceSearch } from './source-search-sqlite.ts';

/** A query's vector with its nearest neighbors of each type, as cosines by row id. */
export interface NearestRows {
  vector: QueryVector;
  byType: ReadonlyMap<ItemType, ReadonlyMap<number, number>>;
}

interface Row {
  number: number;
  cosine: number;
}

/** Nearest neighbors of each type. */
const MAX_NEAREST = 50;
/** From this many rows on, the scan is split in two, each half on a thread of its own. */
const PARALLEL_ROWS = 5000;

const COSINE = '1 - vec_distance_cosine(vec_int8(v.embedding), vec_int8(?))';
/** Selects one user's vectors, a contiguous range of the table. */
const OWN = 'v.model = ? AND v.scope = ? AND v.type = ? AND v.tenantId = ?';

/** Waits for the query's vector, then finds its nearest neighbors; `undefined` where there is no vector. */
export async function findNearest(
  searches: readonly SourceSearch[],
  pending: Promise<QueryVector | undefined>,
): Promise<NearestRows | undefined> {
  const vector = await pending;
  if (vector === undefined) return undefined;
  const nearest = searches.map(async (search) => [search.source.type, await readNearest(search, vector)] as const);
  return { vector, byType: new Map(await Promise.all(nearest)) };
}

/**
 * Exact nearest neighbors by a full scan of the user's vectors, off the event loop: an approximate index filtered by
 * tenant would miss most of them.
 */
export async function readNearest(search: SourceSearch, vector: QueryVector): Promise<ReadonlyMap<number, number>> {
  const join = joinLookup(search);
  const parts = search.totals.documents < PARALLEL_ROWS ? 1 : 2;
  const scans = Array.from({ length: parts }, (_, part) =>
    search.reader.all<Row>(
      `SELECT f.number, f.cosine FROM
         (SELECT v.number, ${COSINE} AS cosine FROM vectors v WHERE ${OWN} AND v.number % ? = ?) f ${join.sql}
       ORDER BY f.cosine DESC, f.number DESC LIMIT ?`,
      [vector.embedding, ...ownValues(search, vector), parts, part, ...join.values, MAX_NEAREST],
    ),
  );
  const rows = (await Promise.all(scans)).flat().sort((a, b) => b.cosine - a.cosine || b.number - a.number);
  return cosinesByRowId(rows.slice(0, MAX_NEAREST));
}

/** Adds to `known` the cosines of the other rows that have a vector. */
export async function readCosines(
  search: SourceSearch,
  vector: QueryVector,
  rowIds: Iterable<number>,
  known: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const missing = [...rowIds].filter((rowId) => !known.has(rowId));
  if (missing.length === 0) return known;
  const rows = await search.reader.all<Row>(
    `SELECT v.number, ${COSINE} AS cosine FROM json_each(?) n CROSS JOIN vectors v ON v.number = n.value
     WHERE ${OWN}`,
    [vector.embedding, JSON.stringify(missing), ...ownValues(search, vector)],
  );
  return new Map([...known, ...cosinesByRowId(rows)]);
}

function ownValues({ source, query }: SourceSearch, { model }: QueryVector): Value[] {
  return [model, query.scope, source.type, query.tenantId];
}

function cosinesByRowId(rows: readonly Row[]): Map<number, number> {
  return new Map(rows.map(({ number, cosine }) => [number, cosine]));
}
