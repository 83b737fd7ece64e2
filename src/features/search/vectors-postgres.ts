import type { Value } from '../../db/connection.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import type { SearchEngine, SourceSearch } from './source-search.ts';
import { joinLookup } from './visible-rows-store.ts';

interface Row {
  number: number;
  embedding: Buffer;
}

/** A page is a few hundred kilobytes. */
const ROWS_PER_PAGE = 500;
const ROWS_PER_STEP = 16;

/** Selects one user's vectors, a contiguous range of the primary key. */
const OWN = 'v.tenantId = ? AND v.model = ? AND v.scope = ? AND v.type = ?';

/** Exact nearest neighbors: reads the user's vectors in pages and compares them in time slices. */
export const readNearestPostgres: SearchEngine['nearest'] = async (search, vector, limit) => {
  const join = joinLookup(search);
  let best: [number, number][] = [];
  let after = -1;
  for (;;) {
    const rows = await search.reader.all<Row>(
      `SELECT f.number, f.embedding FROM (SELECT v.number, v.embedding FROM vectors v WHERE ${OWN} AND v.number > ?) f
       ${join.sql} ORDER BY f.number LIMIT ?`,
      [...ownValues(search, vector), after, ...join.values, ROWS_PER_PAGE],
    );
    const found = await runInSlices(cosinesInSteps(rows, vector), search.query.tenantId);
    best = [...best, ...found].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, limit);
    if (rows.length < ROWS_PER_PAGE) return new Map(best);
    after = rows.at(-1)!.number;
  }
};

export const readCosinesPostgres: SearchEngine['cosines'] = async (search, vector, rowIds) => {
  const rows = await search.reader.all<Row>(
    // OFFSET 0: one lookup for each, whatever statistics the table has.
    `SELECT v.number, v.embedding FROM numbers(?) n JOIN LATERAL
       (SELECT * FROM vectors v WHERE ${OWN} AND v.number = n.value OFFSET 0) v ON TRUE`,
    [JSON.stringify(rowIds), ...ownValues(search, vector)],
  );
  return runInSlices(cosinesInSteps(rows, vector), search.query.tenantId);
};

function* cosinesInSteps(rows: readonly Row[], { embedding }: QueryVector): Generator<void, Map<number, number>> {
  const asked = toInt8(embedding);
  const askedSquares = sumsOf(asked, asked).squares;
  const cosines = new Map<number, number>();
  for (const [index, row] of rows.entries()) {
    const { products, squares } = sumsOf(toInt8(row.embedding), asked);
    // Rounds where sqlite-vec does, which computes distances in 32 bits.
    const distance = 1 - Math.fround(products) / (Math.sqrt(squares) * Math.sqrt(askedSquares));
    cosines.set(row.number, 1 - Math.fround(distance));
    if (index % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return cosines;
}

function toInt8({ buffer, byteOffset, length }: Buffer): Int8Array {
  return new Int8Array(buffer, byteOffset, length);
}

/** Computes both sums in one loop over 32-bit integers, which takes half the time of two loops. */
function sumsOf(own: Int8Array, asked: Int8Array): { products: number; squares: number } {
  let products = 0;
  let squares = 0;
  for (let at = 0; at < own.length; at += 1) {
    const value = own[at]!;
    products = (products + Math.imul(value, asked[at]!)) | 0;
    squares = (squares + Math.imul(value, value)) | 0;
  }
  return { products, squares };
}

function ownValues({ source, query }: SourceSearch, { model }: QueryVector): Value[] {
  return [query.tenantId, model, query.scope, source.type];
}
