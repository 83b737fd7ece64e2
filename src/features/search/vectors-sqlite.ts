import type { ItemType } from '../../contract/search.ts';
import type { Reader, Value } from '../../db/connection.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import { narrowedFrom } from './postings-sqlite.ts';
import type { CandidateQuery, Source } from './sources-sqlite.ts';

/** What a query means, and what is nearest to that of each type, with cosines. */
export interface Meaning {
  vector: QueryVector;
  nearest: ReadonlyMap<ItemType, ReadonlyMap<number, number>>;
}

/** How the vectors of one type are looked at. */
export interface Look {
  source: Source;
  /** Only those of rows that fulfil the conditions. */
  narrowed: boolean;
  /** How many rows the user has. */
  own: number;
}

interface Row {
  number: number;
  cosine: number;
}

/** Of each type, so many of the nearest. */
const NEAREST = 50;
/** From so many rows of a user on, two halves of them are looked at at once, each on its own thread. */
const LARGE = 5000;

const COSINE = '1 - vec_distance_cosine(vec_int8(v.embedding), vec_int8(?))';
/** The vectors of one user: one stretch of the table, in which no other's stand. */
const OWN = 'v.model = ? AND v.scope = ? AND v.type = ? AND v.tenantId = ?';

/** What is nearest in all types, as soon as the query has its vector; `undefined` where it gets none. */
export async function findMeaning(
  reader: Reader,
  query: CandidateQuery,
  looks: readonly Look[],
  vector: Promise<QueryVector | undefined>,
): Promise<Meaning | undefined> {
  const known = await vector;
  if (known === undefined) return undefined;
  const nearest = looks.map(async (look) => [look.source.type, await nearestRows(reader, look, query, known)] as const);
  return { vector: known, nearest: new Map(await Promise.all(nearest)) };
}

/**
 * The rows nearest in meaning, by looking at every vector of the user, on threads of the database: an approximate index
 * under a condition on the tenant would lose most of them.
 */
export async function nearestRows(
  reader: Reader,
  { source, narrowed, own }: Look,
  query: CandidateQuery,
  vector: QueryVector,
): Promise<ReadonlyMap<number, number>> {
  const from = narrowed ? narrowedFrom(source, query) : { sql: '', values: [] };
  const parts = own < LARGE ? 1 : 2;
  const found = Array.from({ length: parts }, (_, part) =>
    reader.all<Row>(
      `SELECT f.number, f.cosine FROM
         (SELECT v.number, ${COSINE} AS cosine FROM vectors v WHERE ${OWN} AND v.number % ? = ?) f ${from.sql}
       ORDER BY f.cosine DESC LIMIT ?`,
      [vector.embedding, ...ownOf(source, query, vector), parts, part, ...from.values, NEAREST],
    ),
  );
  const rows = (await Promise.all(found)).flat().sort((a, b) => b.cosine - a.cosine || b.number - a.number);
  return cosinesOf(rows.slice(0, NEAREST));
}

/** The cosines of all candidates that have a vector; those in `known` are not read again. */
export async function readCosines(
  reader: Reader,
  source: Source,
  query: CandidateQuery,
  vector: QueryVector,
  candidates: ReadonlyMap<number, unknown>,
  known: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number>> {
  const unknown = [...candidates.keys()].filter((number) => !known.has(number));
  if (unknown.length === 0) return known;
  const rows = await reader.all<Row>(
    `SELECT v.number, ${COSINE} AS cosine FROM json_each(?) n CROSS JOIN vectors v ON v.number = n.value
     WHERE ${OWN}`,
    [vector.embedding, JSON.stringify(unknown), ...ownOf(source, query, vector)],
  );
  return new Map([...known, ...cosinesOf(rows)]);
}

function ownOf(source: Source, { scope, tenantId }: CandidateQuery, { model }: QueryVector): Value[] {
  return [model, scope, source.type, tenantId];
}

function cosinesOf(rows: readonly Row[]): Map<number, number> {
  return new Map(rows.map(({ number, cosine }) => [number, cosine]));
}
