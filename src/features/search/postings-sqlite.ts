import { isCharacter, scopePrefix, speakerTokensOf, tokenOf } from '../text/terms.ts';
import { MAX_SATURATION, type Posting } from './lexical.ts';
import { joinLookup, partsOf, type SourceSearch, type Sql } from './source-search-sqlite.ts';

export interface Postings {
  /** In the order of the terms. */
  words: Posting[];
  /** The terms that are names of speakers. */
  speakers: ReadonlySet<string>;
}

/** Vocabulary stems with the same first letter to compare with a misspelled term. */
const MAX_VOCABULARY = 5000;
/** Saturations are read as integers, in units of 1/10,000. */
const SATURATION_SCALE = 10_000;

interface Row {
  word: number;
  documents: number;
  numbers: string;
  saturations: string;
}

/**
 * Reads all postings of the terms in one statement, one row per term, as JSON: decoding 100,000 small rows would block
 * the event loop, two long strings do not. Unless the search is `visibleOnly`, hidden rows may be among the postings.
 */
export async function readPostings(search: SourceSearch, terms: readonly string[]): Promise<Postings> {
  if (terms.length === 0) return { words: [], speakers: new Set() };
  const { reader, query, source, sizes } = search;
  const matches = partsOf(search).flatMap((part) => terms.map((term) => matchOf(query.scope, part, term)));
  const names = source.type === 'message' ? terms : [];
  const join = joinLookup(search);
  const relations = matches.map(
    (_, word) =>
      `word${word} AS MATERIALIZED (SELECT rowid AS number, bm25(${source.index}) AS score
       FROM ${source.index} WHERE ${source.index} MATCH ?)`,
  );
  const selects = matches.map((_, word) => selectPosting(word, join));
  const nameSelects = names.map(
    (_, word) => `SELECT ${-1 - word}, 0, '', '' WHERE EXISTS
      (SELECT 1 FROM ${source.index} WHERE ${source.index} MATCH ?)`,
  );
  const rows = await reader.all<Row>(
    `WITH ${relations.join(', ')} ${[...selects, ...nameSelects].join(' UNION ALL ')}`,
    [
      ...matches,
      ...matches.flatMap(() => [SATURATION_SCALE, sizes.index, ...join.values]),
      ...names.map((term) => quoted(query.scope, 'live', speakerTokensOf(term)[0] ?? '_')),
    ],
  );
  return {
    words: terms.map((_, word) => postingOf(rows.filter((row) => row.word >= 0 && row.word % terms.length === word))),
    speakers: new Set(rows.filter(({ word }) => word < 0).map(({ word }) => terms[-1 - word]!)),
  };
}

/**
 * Reads the postings of vocabulary stems. The index stems a query term again, which turns some stems into others that do
 * not occur ("hous", of "house", into "hou"): a trailing `e` prevents that.
 */
export async function readStems(search: SourceSearch, stems: readonly string[]): Promise<Posting[]> {
  const { words } = await readPostings(search, stems);
  const missing = [...stems.keys()].filter((stem) => words[stem]!.documents === 0);
  if (missing.length === 0) return words;
  const spelled = missing.map((stem) => `${stems[stem]}e`);
  const retried = (await readPostings(search, spelled)).words;
  return words.map((posting, stem) => retried[missing.indexOf(stem)] ?? posting);
}

/** The document frequency of each term. */
export async function countDocuments(
  { reader, query, source: { index } }: SourceSearch,
  terms: readonly string[],
): Promise<number[]> {
  const counts = terms.map((_, word) => `(SELECT COUNT(*) FROM ${index} WHERE ${index} MATCH ?) AS word${word}`);
  const row = await reader.get<Record<string, number>>(
    `SELECT ${counts.join(', ')}`,
    terms.map((term) => matchOf(query.scope, 'live', term)),
  );
  return terms.map((_, word) => row?.[`word${word}`] ?? 0);
}

/** The newest rows dated in one of the query's months; said by one of `speakers` where there are any. */
export async function readDated(
  search: SourceSearch,
  { speakers, limit }: { speakers: readonly string[]; limit: number },
): Promise<number[]> {
  const { reader, query, source } = search;
  if (query.months.length === 0) return [];
  const join = joinLookup(search);
  const parts = partsOf(search);
  const anyOf = (terms: readonly string[]) =>
    `(${parts.flatMap((part) => terms.map((term) => quoted(query.scope, part, term))).join(' OR ')})`;
  const bySpeaker = speakers.length === 0 ? '' : ` AND ${anyOf(speakers.flatMap(speakerTokensOf))}`;
  const rows = await reader.all<{ number: number }>(
    `SELECT f.number FROM (SELECT rowid AS number FROM ${source.index} WHERE ${source.index} MATCH ?) f ${join.sql}
     ORDER BY f.number DESC LIMIT ?`,
    [anyOf(query.months) + bySpeaker, ...join.values, limit],
  );
  return rows.map(({ number }) => number);
}

/** Stems of the user's vocabulary that share the word's first letter and are about as long. */
export async function readVocabulary(
  { reader, query, source: { index } }: SourceSearch,
  word: string,
): Promise<string[]> {
  const prefix = scopePrefix(query.scope, 'live');
  const first = prefix + String.fromCodePoint(word.codePointAt(0)!);
  const rows = await reader.all<{ term: string }>(
    `SELECT term FROM ${index}Words WHERE term >= ? AND term < ? AND LENGTH(term) BETWEEN ? AND ? LIMIT ?`,
    [first, `${first}\u{10ffff}`, prefix.length + 3, prefix.length + word.length + 2, MAX_VOCABULARY],
  );
  return rows.map(({ term }) => term.slice(prefix.length));
}

/** Divides FTS5's score by FTS5's idf, which counts the documents of all users. */
function selectPosting(word: number, join: Sql): string {
  return `SELECT ${word} AS word, (SELECT COUNT(*) FROM word${word}) AS documents,
    json_group_array(f.number) AS numbers,
    json_group_array(CAST(f.score * (SELECT -? / MAX(0.000001, ln(MAX(0.000001,
      (? - COUNT(*) + 0.5) / (COUNT(*) + 0.5)))) FROM word${word}) AS INTEGER)) AS saturations
    FROM word${word} f ${join.sql}`;
}

function matchOf(scope: number, part: 'live' | 'past', term: string): string {
  return `${quoted(scope, part, term)}${isCharacter(term) ? '*' : ''}`;
}

function quoted(scope: number, part: 'live' | 'past', term: string): string {
  return `"${tokenOf(scopePrefix(scope, part), term)}"`;
}

/** Caps saturations, which exceed their maximum where the cached index size is stale. */
function postingOf(rows: readonly Row[]): Posting {
  return {
    documents: rows.reduce((sum, { documents }) => sum + documents, 0),
    rowIds: rows.flatMap(({ numbers }) => JSON.parse(numbers) as number[]),
    saturations: rows.flatMap(({ saturations }) =>
      (JSON.parse(saturations) as number[]).map((value) => Math.min(MAX_SATURATION, value / SATURATION_SCALE)),
    ),
  };
}
