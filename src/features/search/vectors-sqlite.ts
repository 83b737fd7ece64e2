import type { Reader, Value } from '../../db/connection.ts';
import type { QueryVector } from '../embeddings/embeddings.ts';
import { narrowedFrom } from './postings-sqlite.ts';
import type { CandidateQuery, Source } from './sources-sqlite.ts';

interface Row {
  number: number;
  cosine: number;
}

const COSINE = '1 - vec_distance_cosine(vec_int8(v.embedding), vec_int8(?))';
/** The vectors of one user: one stretch of the table, in which no other's stand. */
const OWN = 'v.model = ? AND v.scope = ? AND v.type = ? AND v.tenantId = ?';

/**
 * The rows nearest in meaning, by looking at every vector of the user, on a thread of the database: an approximate index
 * under a condition on the tenant would lose most of them. `narrowed` looks at rows only that fulfil the conditions.
 */
export async function nearestRows(
  reader: Reader,
  source: Source,
  query: CandidateQuery,
  vector: QueryVector,
  { limit, narrowed }: { limit: number; narrowed: boolean },
): Promise<ReadonlyMap<number, number>> {
  const from = narrowed ? narrowedFrom(source, query) : { sql: '', values: [] };
  const rows = await reader.all<Row>(
    `SELECT f.number, f.cosine FROM (SELECT v.number, ${COSINE} AS cosine FROM vectors v WHERE ${OWN}) f ${from.sql}
     ORDER BY f.cosine DESC LIMIT ?`,
    [vector.embedding, ...ownOf(source, query, vector), ...from.values, limit],
  );
  return cosinesOf(rows);
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
