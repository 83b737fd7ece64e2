import type { SearchFilter } from '../../contract/search.ts';
import type { Reader, Value } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MemoryRow } from '../memories/memories.ts';
import { isCharacter, queryTerms, scopePrefix, tokenOf } from './terms.ts';

const SIZES_KEPT_MS = 30_000;
const MAX_REMEMBERED = 50_000;
/** From so many memories on, counting them is felt. */
const LARGE = 2000;

/** A memory that one of the indices found, with the score that each gave it (higher is better). */
export interface Candidate {
  row: MemoryRow;
  scores: { lex: number };
}

export interface CandidateQuery {
  tenantId: string;
  endUser: string;
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

/**
 * Candidates from FTS5: query words OR-ed, porter-stemmed, ranked by BM25 (Robertson & Zaragoza 2009) with the
 * document frequencies of this user's own memories. FTS5 would take the number of documents from the whole index, which
 * flattens the weights the more neighbours there are: recall would fall and tell of them.
 */
export function createCandidatesSqlite({ clock }: { clock: Clock }): FindCandidates {
  const sizesOf = createSizes(clock);
  return async (reader, query) => {
    const matches = matchExpressions(query);
    if (matches.length === 0) return [];
    const sizes = await sizesOf(reader, query);
    const conditions = conditionsOf(query);
    const narrowed = query.asOfMs !== undefined || conditions.length > 0;
    if (narrowed) return filtered(reader, query, matches, sizes, conditions);
    const found = await ranked(reader, query, matches, sizes);
    const shown = found.filter(({ row }) => row.expiresAt === null || row.expiresAt > query.nowMs);
    // Expired ones that are not swept yet took places of the pool: ask again with the condition inside.
    return shown.length < found.length ? filtered(reader, query, matches, sizes, conditions) : shown;
  };
}

/** One expression a word. */
function matchExpressions({ scope, query, asOfMs }: CandidateQuery): string[] {
  const parts = asOfMs === undefined ? (['live'] as const) : (['live', 'past'] as const);
  return parts.flatMap((part) =>
    queryTerms(query).map((term) => `"${tokenOf(scopePrefix(scope, part), term)}"${isCharacter(term) ? '*' : ''}`),
  );
}

/** How many documents there are: of this user, and in the whole index, on which FTS5's own weights rest. */
interface Sizes {
  own: number;
  index: number;
}

/** Sizes enter by their logarithm: those of large users are counted anew every half minute only. */
function createSizes(clock: Clock) {
  const remembered = new Map<number, { sizes: Sizes; atMs: number }>();
  return async (reader: Reader, { tenantId, endUser, scope }: CandidateQuery): Promise<Sizes> => {
    const known = remembered.get(scope);
    if (known && clock.monotonicMs() - known.atMs < SIZES_KEPT_MS) return known.sizes;
    const row = await reader.get<{ averages: Buffer | null; own: number }>(
      `SELECT (SELECT block FROM memoryText_data WHERE id = 1) AS averages,
         (SELECT COUNT(*) FROM memories WHERE tenantId = ? AND endUser = ?) AS own`,
      [tenantId, endUser],
    );
    const sizes = { own: row?.own ?? 0, index: row?.averages ? firstVarint(row.averages) : 0 };
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    if (sizes.own >= LARGE) remembered.set(scope, { sizes, atMs: clock.monotonicMs() });
    return sizes;
  };
}

/** FTS5 keeps the number of its rows first in its record of averages, as a varint of the SQLite file format. */
function firstVarint(bytes: Buffer): number {
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) break;
  }
  return value;
}

type ScoredRow = MemoryRow & { score: number };

/**
 * The matches of all words with their scores as one table `ranked`. FTS5's score of each word is freed of FTS5's own
 * inverse document frequency and given the user's (the form of Lucene, which is never negative).
 */
function rankedSql(matches: readonly string[], { own, index }: Sizes): { sql: string; values: Value[] } {
  const words = matches.map(
    (_, word) =>
      `word${word} AS MATERIALIZED (SELECT rowid AS number, bm25(memoryText) AS score FROM memoryText WHERE memoryText MATCH ?)`,
  );
  const weighted = matches.map(
    (_, word) => `SELECT number, score * (SELECT ln(1 + (MAX(?, COUNT(*)) - COUNT(*) + 0.5) / (COUNT(*) + 0.5))
      / MAX(0.000001, ln(MAX(0.000001, (? - COUNT(*) + 0.5) / (COUNT(*) + 0.5)))) FROM word${word}) AS score FROM word${word}`,
  );
  return {
    sql: `WITH ${words.join(', ')}, ranked AS
      (SELECT number, SUM(score) AS score FROM (${weighted.join(' UNION ALL ')}) GROUP BY number)`,
    values: [...matches, ...matches.flatMap(() => [own, index])],
  };
}

// CROSS JOIN holds SQLite to the order as written: first the index, then the rows by their number. Left to itself it
// begins with all rows of the tenant.

/** The pool without conditions: the index ranks, and only the pool's rows are read. */
async function ranked(
  reader: Reader,
  { tenantId, pool }: CandidateQuery,
  matches: readonly string[],
  sizes: Sizes,
): Promise<Candidate[]> {
  const { sql, values } = rankedSql(matches, sizes);
  const rows = await reader.all<ScoredRow>(
    `${sql} SELECT m.*, f.score FROM (SELECT number, score FROM ranked ORDER BY score LIMIT ?) f
     CROSS JOIN memories m ON m.number = f.number WHERE m.tenantId = ?`,
    [...values, pool, tenantId],
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
  matches: readonly string[],
  sizes: Sizes,
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
  const { sql, values } = rankedSql(matches, sizes);
  const rows = await reader.all<ScoredRow>(
    `${sql} SELECT m.*, f.score FROM ranked f CROSS JOIN memories m ON m.number = f.number
     ${then ? 'CROSS JOIN memories c ON c.tenantId = m.tenantId AND c.id = m.id AND c.current = 1' : ''}
     WHERE m.tenantId = ? AND ${all.map(([condition]) => condition).join(' AND ')}
     ORDER BY f.score LIMIT ?`,
    [...values, tenantId, ...all.map(([, value]) => value), pool],
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

function toCandidate(row: ScoredRow): Candidate {
  // bm25() of FTS5 is negative, the best the lowest.
  return { row, scores: { lex: -row.score } };
}
