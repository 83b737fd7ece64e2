import type { Value } from '../../db/connection.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { SearchEngine, SourceSearch } from './source-search.ts';
import { joinLookup } from './visible-rows-store.ts';

interface Row {
  number: number;
  cosine: number;
}

/** From this many rows on, the scan is split in two, each half on its own thread. */
const PARALLEL_ROWS = 5000;

const COSINE = '1 - vec_distance_cosine(vec_int8(v.embedding), vec_int8(?))';
/** Selects one user's vectors, a contiguous range of the table. */
const OWN = 'v.model = ? AND v.scope = ? AND v.type = ? AND v.tenantId = ?';

/**
 * Exact nearest neighbors by a full scan of the user's vectors, off the event loop: an approximate index filtered by
 * tenant would miss most of them.
 */
export const readNearestSqlite: SearchEngine['nearest'] = async (search, vector, limit) => {
  const join = joinLookup(search);
  const parts = search.totals.documents < PARALLEL_ROWS ? 1 : 2;
  const scans = Array.from({ length: parts }, (_, part) =>
    search.reader.all<Row>(
      `SELECT f.number, f.cosine FROM
         (SELECT v.number, ${COSINE} AS cosine FROM vectors v WHERE ${OWN} AND v.number % ? = ?) f ${join.sql}
       ORDER BY f.cosine DESC, f.number DESC LIMIT ?`,
      [vector.embedding, ...ownValues(search, vector), parts, part, ...join.values, limit],
    ),
  );
  const rows = (await Promise.all(scans)).flat().sort((a, b) => b.cosine - a.cosine || b.number - a.number);
  return cosinesByRowId(rows.slice(0, limit));
};

export const readCosinesSqlite: SearchEngine['cosines'] = async (search, vector, rowIds) => {
  const rows = await search.reader.all<Row>(
    `SELECT v.number, ${COSINE} AS cosine FROM numbers(?) n CROSS JOIN vectors v ON v.number = n.value
     WHERE ${OWN}`,
    [vector.embedding, JSON.stringify(rowIds), ...ownValues(search, vector)],
  );
  return cosinesByRowId(rows);
};

function ownValues({ source, query }: SourceSearch, { model }: QueryVector): Value[] {
  return [model, query.scope, source.type, query.tenantId];
}

function cosinesByRowId(rows: readonly Row[]): Map<number, number> {
  return new Map(rows.map(({ number, cosine }) => [number, cosine]));
}
