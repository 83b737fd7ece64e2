import type { ItemType } from '../../contract/search.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { SourceSearch } from './source-search.ts';

/** A query's vector with its nearest neighbors of each type, as cosines by row id. */
export interface NearestRows {
  vector: QueryVector;
  byType: ReadonlyMap<ItemType, ReadonlyMap<number, number>>;
}

/** Nearest neighbors of each type. */
export const MAX_NEAREST = 50;

/** Waits for the query's vector, then finds its nearest neighbors; `undefined` where there is no vector. */
export async function findNearest(
  searches: readonly SourceSearch[],
  pending: Promise<QueryVector | undefined>,
): Promise<NearestRows | undefined> {
  const vector = await pending;
  if (vector === undefined) return undefined;
  const nearest = searches.map(async (search) => {
    return [search.source.type, await search.engine.nearest(search, vector, MAX_NEAREST)] as const;
  });
  return { vector, byType: new Map(await Promise.all(nearest)) };
}

/** Adds to `known` the cosines of the other rows that have a vector. */
export async function completeCosines(
  search: SourceSearch,
  vector: QueryVector,
  rowIds: Iterable<number>,
  known: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const missing = [...rowIds].filter((rowId) => !known.has(rowId));
  if (missing.length === 0) return known;
  return new Map([...known, ...(await search.engine.cosines(search, vector, missing))]);
}
