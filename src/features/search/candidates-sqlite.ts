import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Reader, Value } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import { createSizes, type Sizes } from './sizes-sqlite.ts';
import {
  type CandidateQuery,
  type Condition,
  type FoundRows,
  filterConditions,
  SOURCES,
  type Source,
} from './sources-sqlite.ts';
import { isCharacter, queryTerms, scopePrefix, tokenOf } from './terms.ts';

export type { CandidateQuery };

interface CandidateOf<T extends ItemType> {
  type: T;
  row: FoundRows[T];
  scores: { lex: number };
}

/** What one of the indices found, with the score that it gave (higher is better). */
export type Candidate = { [T in ItemType]: CandidateOf<T> }[ItemType];

/** Finds candidates on one engine; the signals and their fusion are the same for every engine. */
export type FindCandidates = (reader: Reader, query: CandidateQuery) => Promise<Candidate[]>;

/** What is asked of one index. */
interface Asked {
  source: Source;
  query: CandidateQuery;
  /** One expression a word; those of what is valid now first. */
  matches: readonly string[];
  words: number;
  sizes: Sizes;
  /** Other types are asked too, so that scores have to be told apart from theirs. */
  shared: boolean;
}

/**
 * Candidates from FTS5: query words OR-ed, porter-stemmed, ranked by BM25 (Robertson & Zaragoza 2009) with the
 * document frequencies of this user's own documents. FTS5 would take the number of documents from the whole index, which
 * flattens the weights the more neighbours there are: recall would fall and tell of them. Where several types are
 * asked, a score is given as a part of what this type's rarest words could give: else the type with the most documents,
 * whose words weigh most, would stand above all others.
 */
export function createCandidatesSqlite({ clock }: { clock: Clock }): FindCandidates {
  const sizesOf = createSizes(clock);
  return async (reader, query) => {
    const terms = queryTerms(query.query);
    const types = typesOf(query);
    if (terms.length === 0 || types.length === 0) return [];
    const sizes = await sizesOf(reader, query, types);
    const filled = types.filter((type) => sizes.get(type)!.own > 0);
    const found: Candidate[] = [];
    for (const type of filled) {
      const source: Source = SOURCES[type] as unknown as Source;
      const matches = matchExpressions(source, query, terms);
      const asked = { source, query, matches, words: terms.length, sizes: sizes.get(type)!, shared: filled.length > 1 };
      found.push(...(await ask(reader, asked)));
    }
    return found;
  };
}

/** Nothing but memories has tags: where they are asked for, nothing else is meant. */
function typesOf({ types = ITEM_TYPES, filter }: CandidateQuery): readonly ItemType[] {
  return filter.tags && filter.tags.length > 0 ? types.filter((type) => type === 'memory') : types;
}

async function ask(reader: Reader, asked: Asked): Promise<Candidate[]> {
  const { source, query } = asked;
  const conditions = filterConditions(source, query);
  if (query.asOfMs !== undefined || conditions.length > 0) return filtered(reader, asked, conditions);
  const found = await ranked(reader, asked);
  const shown = found.filter(({ row }) => !source.isHidden(row, query.nowMs));
  // Hidden ones that are not swept yet took places of the pool: ask again with the condition inside.
  return shown.length < found.length ? filtered(reader, asked, conditions) : shown;
}

function matchExpressions(source: Source, { scope, asOfMs }: CandidateQuery, terms: readonly string[]): string[] {
  const parts = asOfMs === undefined ? (['live'] as const) : source.partsThen;
  return parts.flatMap((part) =>
    terms.map((term) => `"${tokenOf(scopePrefix(scope, part), term)}"${isCharacter(term) ? '*' : ''}`),
  );
}

type ScoredRow = FoundRows[ItemType] & { score: number; attainable: number };

interface Sql {
  sql: string;
  values: Value[];
}

/** The inverse document frequency of the user's own documents (the form of Lucene, which is never negative). */
const IDF = 'ln(1 + (MAX(?, COUNT(*)) - COUNT(*) + 0.5) / (COUNT(*) + 0.5))';

/**
 * The matches of all words with their scores as one table `ranked`. FTS5's score of each word is freed of FTS5's own
 * inverse document frequency and given the user's.
 */
function rankedSql({ source: { index }, matches, sizes }: Asked): Sql {
  const words = matches.map(
    (_, word) =>
      `word${word} AS MATERIALIZED (SELECT rowid AS number, bm25(${index}) AS score FROM ${index} WHERE ${index} MATCH ?)`,
  );
  const weighted = matches.map(
    (_, word) => `SELECT number, score * (SELECT ${IDF}
      / MAX(0.000001, ln(MAX(0.000001, (? - COUNT(*) + 0.5) / (COUNT(*) + 0.5)))) FROM word${word}) AS score FROM word${word}`,
  );
  return {
    sql: `WITH ${words.join(', ')}, ranked AS
      (SELECT number, SUM(score) AS score FROM (${weighted.join(' UNION ALL ')}) GROUP BY number)`,
    values: [...matches, ...matches.flatMap(() => [sizes.own, sizes.index])],
  };
}

/** What all words of the query together weigh. */
function attainableSql({ shared, words, sizes }: Asked): Sql {
  if (!shared) return { sql: '1', values: [] };
  const weights = Array.from({ length: words }, (_, word) => `(SELECT ${IDF} FROM word${word})`);
  return { sql: weights.join(' + '), values: weights.map(() => sizes.own) };
}

// CROSS JOIN holds SQLite to the order as written: first the index, then the rows by their number. Left to itself it
// begins with all rows of the tenant.

/** The pool without conditions: the index ranks, and only the pool's rows are read. */
async function ranked(reader: Reader, asked: Asked): Promise<Candidate[]> {
  const { source, query } = asked;
  const [{ sql, values }, attainable] = [rankedSql(asked), attainableSql(asked)];
  const rows = await reader.all<ScoredRow>(
    `${sql} SELECT m.*${source.beside.columns}, f.score, ${attainable.sql} AS attainable
     FROM (SELECT number, score FROM ranked ORDER BY score LIMIT ?) f
     CROSS JOIN ${source.rows} m ON m.number = f.number ${source.beside.join} WHERE m.tenantId = ?`,
    [...values, ...attainable.values, query.pool, query.tenantId],
  );
  return rows.map((row) => toCandidate(source, row));
}

/** The pool under conditions: each match is held against its row before it takes a place. */
async function filtered(reader: Reader, asked: Asked, filter: readonly Condition[]): Promise<Candidate[]> {
  const { source, query } = asked;
  const [{ sql, values }, attainable] = [rankedSql(asked), attainableSql(asked)];
  const conditions: Condition[] = [['m.tenantId = ?', query.tenantId], ...source.shown(query), ...filter];
  const rows = await reader.all<ScoredRow>(
    `${sql} SELECT m.*${source.beside.columns}, f.score, ${attainable.sql} AS attainable
     FROM ranked f CROSS JOIN ${source.rows} m ON m.number = f.number ${source.beside.join}
     ${query.asOfMs === undefined ? '' : source.joinThen}
     WHERE ${conditions.map(([condition]) => condition).join(' AND ')} ORDER BY f.score LIMIT ?`,
    [...values, ...attainable.values, ...conditions.map(([, value]) => value), query.pool],
  );
  return rows.map((row) => toCandidate(source, row));
}

function toCandidate({ type }: Source, row: ScoredRow): Candidate {
  // bm25() of FTS5 is negative, the best the lowest.
  return { type, row, scores: { lex: -row.score / row.attainable } } as Candidate;
}
