import type { SearchFilter } from '../../contract/search.ts';
import type { Reader, Value } from '../../db/connection.ts';
import type { MemoryRow } from '../memories/memories.ts';
import { isCharacter, queryTerms, scopePrefix, tokenOf } from './terms.ts';

export { queryTerms };

/** A memory that one of the indices found, with the score that each gave it (higher is better). */
export interface Candidate {
  row: MemoryRow;
  scores: { lex: number };
}

export interface CandidateQuery {
  tenantId: string;
  scope: number;
  query: string;
  filter: SearchFilter & { afterMs?: number | undefined; beforeMs?: number | undefined };
  asOfMs: number | undefined;
  nowMs: number;
  /** How many to find. */
  pool: number;
}

/** Finds candidates on one engine; the signals and their fusion are the same for every engine. */
export type FindCandidates = (reader: Reader, query: CandidateQuery) => Promise<Candidate[]>;

/** Candidates from FTS5: query words OR-ed, porter-stemmed, ranked by bm25 (Robertson & Zaragoza 2009). */
export const findCandidatesSqlite: FindCandidates = async (reader, query) => {
  const match = matchExpression(query);
  if (match === undefined) return [];
  const conditions = conditionsOf(query);
  if (query.asOfMs !== undefined || conditions.length > 0) return filtered(reader, query, match, conditions);
  const found = await ranked(reader, query, match);
  const shown = found.filter(({ row }) => row.expiresAt === null || row.expiresAt > query.nowMs);
  // Expired ones that are not swept yet took places of the pool: ask again with the condition inside.
  return shown.length < found.length ? filtered(reader, query, match, conditions) : shown;
};

function matchExpression({ scope, query, asOfMs }: CandidateQuery): string | undefined {
  const terms = queryTerms(query);
  const parts = asOfMs === undefined ? (['live'] as const) : (['live', 'past'] as const);
  const tokens = parts.flatMap((part) =>
    terms.map((term) => `"${tokenOf(scopePrefix(scope, part), term)}"${isCharacter(term) ? '*' : ''}`),
  );
  return tokens.length === 0 ? undefined : tokens.join(' OR ');
}

type ScoredRow = MemoryRow & { score: number };

// CROSS JOIN holds SQLite to the order as written: first the index, then the rows by their number. Left to itself it
// begins with all rows of the tenant.

/** The pool without conditions: the index ranks, and only the pool's rows are read. */
async function ranked(reader: Reader, { tenantId, pool }: CandidateQuery, match: string): Promise<Candidate[]> {
  const rows = await reader.all<ScoredRow>(
    `SELECT m.*, f.score FROM
       (SELECT rowid AS number, bm25(memoryText) AS score FROM memoryText
        WHERE memoryText MATCH ? ORDER BY bm25(memoryText) LIMIT ?) f
     CROSS JOIN memories m ON m.number = f.number WHERE m.tenantId = ?`,
    [match, pool, tenantId],
  );
  return rows.map(toCandidate);
}

/**
 * The pool under conditions: each match is held against its row before it takes a place. Of `asOf`, against the version
 * that was valid then; whether the memory has expired is told by its current version (`c`).
 */
async function filtered(
  reader: Reader,
  { tenantId, pool, asOfMs, nowMs }: CandidateQuery,
  match: string,
  conditions: [string, Value][],
): Promise<Candidate[]> {
  const version: [string, Value][] =
    asOfMs === undefined
      ? [['m.current = ?', 1]]
      : [
          ['m.validFrom <= ?', asOfMs],
          ['(m.validTo IS NULL OR m.validTo > ?)', asOfMs],
        ];
  const then = asOfMs !== undefined;
  const expiry = then ? 'c.expiresAt' : 'm.expiresAt';
  const aliveAtMs = Math.max(nowMs, asOfMs ?? nowMs);
  const all: [string, Value][] = [...version, [`(${expiry} IS NULL OR ${expiry} > ?)`, aliveAtMs], ...conditions];
  const rows = await reader.all<ScoredRow>(
    `SELECT m.*, bm25(memoryText) AS score FROM memoryText CROSS JOIN memories m ON m.number = memoryText.rowid
     ${then ? 'CROSS JOIN memories c ON c.tenantId = m.tenantId AND c.id = m.id AND c.current = 1' : ''}
     WHERE memoryText MATCH ? AND m.tenantId = ? AND ${all.map(([condition]) => condition).join(' AND ')}
     ORDER BY bm25(memoryText) LIMIT ?`,
    [match, tenantId, ...all.map(([, value]) => value), pool],
  );
  return rows.map(toCandidate);
}

function conditionsOf({ filter }: CandidateQuery): [string, Value][] {
  const conditions: [string, Value][] = [];
  for (const tag of filter.tags ?? []) {
    conditions.push(['EXISTS (SELECT 1 FROM json_each(m.tags) WHERE json_each.value = ?)', tag]);
  }
  for (const [name, value] of Object.entries(filter.metadata ?? {})) {
    conditions.push(metadataCondition(name, value));
  }
  if (filter.afterMs !== undefined) conditions.push(['COALESCE(m.occurredAt, m.createdAt) > ?', filter.afterMs]);
  if (filter.beforeMs !== undefined) conditions.push(['COALESCE(m.occurredAt, m.createdAt) < ?', filter.beforeMs]);
  return conditions;
}

/** One top-level member that equals a value, type included: one bound value holds both as JSON. */
function metadataCondition(name: string, value: string | number | boolean): [string, Value] {
  const condition = `EXISTS (SELECT 1 FROM json_each(m.metadata) a JOIN json_each(?) b
    ON a.key = b.key AND a.type = b.type AND a.value = b.value)`;
  return [condition, JSON.stringify({ [name]: value })];
}

function toCandidate({ score, ...row }: ScoredRow): Candidate {
  // bm25() of FTS5 is negative, the best the lowest.
  return { row, scores: { lex: -score } };
}
