import type { Reader, Value } from '../../db/connection.ts';
import { isCharacter, scopePrefix, speakerTokensOf, tokenOf } from '../text/terms.ts';
import { MOST_PART, type Posting } from './lexical.ts';
import type { Sizes } from './sizes-sqlite.ts';
import { type CandidateQuery, type Condition, type Source, shownConditions } from './sources-sqlite.ts';

export interface Postings {
  /** In the order of the words asked for. */
  words: Posting[];
  /** Those of the words that are names of people who said something. */
  speakers: ReadonlySet<string>;
}

/** Of a user's words with the same first letter, so many are looked through for one that is meant. */
const MOST_VOCABULARY = 5000;
/** Parts travel as whole numbers. */
const PART_UNIT = 10_000;

interface Row {
  word: number;
  documents: number;
  numbers: string;
  parts: string;
}

/** A part of a statement with its values. */
export interface Sql {
  sql: string;
  values: Value[];
}

/**
 * All postings of the words in one statement, a row a word, as JSON: a hundred thousand small rows would block the event
 * loop, two long texts do not. `conditions` narrow them to rows that fulfil these; without them rows that are hidden may
 * be among the numbers.
 */
export async function readPostings(
  reader: Reader,
  source: Source,
  query: CandidateQuery,
  terms: readonly string[],
  sizes: Sizes,
  narrowed: boolean,
): Promise<Postings> {
  if (terms.length === 0) return { words: [], speakers: new Set() };
  const parts = query.asOfMs === undefined ? (['live'] as const) : source.partsThen;
  const words = parts.flatMap((part) => terms.map((term) => matchOf(query.scope, part, term)));
  const spoken = source.type === 'message' ? terms : [];
  const from = narrowed ? narrowedFrom(source, query) : { sql: '', values: [] };
  const with_ = words.map(
    (_, word) =>
      `word${word} AS MATERIALIZED (SELECT rowid AS number, bm25(${source.index}) AS score
       FROM ${source.index} WHERE ${source.index} MATCH ?)`,
  );
  const selects = words.map((_, word) => wordSelect(word, from));
  const named = spoken.map(
    (_, word) => `SELECT ${-1 - word}, 0, '', '' WHERE EXISTS
      (SELECT 1 FROM ${source.index} WHERE ${source.index} MATCH ?)`,
  );
  const rows = await reader.all<Row>(`WITH ${with_.join(', ')} ${[...selects, ...named].join(' UNION ALL ')}`, [
    ...words,
    ...words.flatMap(() => [PART_UNIT, sizes.index, ...from.values]),
    ...spoken.map((term) => quoted(query.scope, 'live', speakerTokensOf(term)[0] ?? '_')),
  ]);
  return {
    words: terms.map((_, word) => postingOf(rows.filter((row) => row.word >= 0 && row.word % terms.length === word))),
    speakers: new Set(rows.filter(({ word }) => word < 0).map(({ word }) => terms[-1 - word]!)),
  };
}

/**
 * Postings of stems of the vocabulary. The index stems what is asked once more, which of some makes another that nobody
 * has ("hou" of "hous" of "house"): with an `e` behind it such a stem comes out as it is.
 */
export async function readStems(
  reader: Reader,
  source: Source,
  query: CandidateQuery,
  stems: readonly string[],
  sizes: Sizes,
  narrowed: boolean,
): Promise<Posting[]> {
  const { words } = await readPostings(reader, source, query, stems, sizes, narrowed);
  const lost = [...stems.keys()].filter((stem) => words[stem]!.documents === 0);
  if (lost.length === 0) return words;
  const spelt = lost.map((stem) => `${stems[stem]}e`);
  const again = (await readPostings(reader, source, query, spelt, sizes, narrowed)).words;
  return words.map((posting, stem) => again[lost.indexOf(stem)] ?? posting);
}

/** How many documents hold each word. */
export async function countDocuments(
  reader: Reader,
  { index }: Source,
  { scope }: CandidateQuery,
  terms: readonly string[],
): Promise<number[]> {
  const counts = terms.map((_, word) => `(SELECT COUNT(*) FROM ${index} WHERE ${index} MATCH ?) AS word${word}`);
  const row = await reader.get<Record<string, number>>(
    `SELECT ${counts.join(', ')}`,
    terms.map((term) => matchOf(scope, 'live', term)),
  );
  return terms.map((_, word) => row?.[`word${word}`] ?? 0);
}

/**
 * The newest rows that are of one of the months asked for, said by one of these speakers where some are named.
 * `narrowed` as for `readPostings`.
 */
export async function readDated(
  reader: Reader,
  source: Source,
  query: CandidateQuery,
  speakers: readonly string[],
  { limit, narrowed }: { limit: number; narrowed: boolean },
): Promise<number[]> {
  const { scope, months } = query;
  if (months.length === 0) return [];
  const from = narrowed ? narrowedFrom(source, query) : { sql: '', values: [] };
  const parts = query.asOfMs === undefined ? (['live'] as const) : source.partsThen;
  const any = (terms: readonly string[]) =>
    `(${parts.flatMap((part) => terms.map((term) => quoted(scope, part, term))).join(' OR ')})`;
  const named = speakers.length === 0 ? '' : ` AND ${any(speakers.flatMap(speakerTokensOf))}`;
  const rows = await reader.all<{ number: number }>(
    `SELECT f.number FROM (SELECT rowid AS number FROM ${source.index} WHERE ${source.index} MATCH ?) f ${from.sql}
     ORDER BY f.number DESC LIMIT ?`,
    [any(months) + named, ...from.values, limit],
  );
  return rows.map(({ number }) => number);
}

/** The user's words that begin like this one and are about as long, as the index has them: stemmed. */
export async function readVocabulary(
  reader: Reader,
  { index }: Source,
  { scope }: CandidateQuery,
  word: string,
): Promise<string[]> {
  const prefix = scopePrefix(scope, 'live');
  const first = prefix + String.fromCodePoint(word.codePointAt(0)!);
  const rows = await reader.all<{ term: string }>(
    `SELECT term FROM ${index}Words WHERE term >= ? AND term < ? AND LENGTH(term) BETWEEN ? AND ? LIMIT ?`,
    [first, `${first}\u{10ffff}`, prefix.length + 3, prefix.length + word.length + 2, MOST_VOCABULARY],
  );
  return rows.map(({ term }) => term.slice(prefix.length));
}

/** FTS5's score of a word is freed of FTS5's own weight for it, which rests on the documents of all users. */
function wordSelect(word: number, from: Sql): string {
  return `SELECT ${word} AS word, (SELECT COUNT(*) FROM word${word}) AS documents,
    json_group_array(f.number) AS numbers,
    json_group_array(CAST(f.score * (SELECT -? / MAX(0.000001, ln(MAX(0.000001,
      (? - COUNT(*) + 0.5) / (COUNT(*) + 0.5)))) FROM word${word}) AS INTEGER)) AS parts
    FROM word${word} f ${from.sql}`;
}

/**
 * Joins the rows that fulfil the conditions to something with numbers called `f`, and what is to be read beside them.
 * CROSS JOIN holds SQLite to the order as written: first the index, then the rows by their number.
 */
export function narrowedFrom(source: Source, query: CandidateQuery, beside = ''): Sql {
  const conditions: Condition[] = shownConditions(source, query);
  return {
    sql: `CROSS JOIN ${source.rows} m ON m.number = f.number ${source.beside.join} ${beside}
      ${query.asOfMs === undefined ? '' : source.joinThen}
      WHERE ${conditions.map(([condition]) => condition).join(' AND ')}`,
    values: conditions.map(([, value]) => value),
  };
}

function matchOf(scope: number, part: 'live' | 'past', term: string): string {
  return `${quoted(scope, part, term)}${isCharacter(term) ? '*' : ''}`;
}

function quoted(scope: number, part: 'live' | 'past', term: string): string {
  return `"${tokenOf(scopePrefix(scope, part), term)}"`;
}

/** More than there can be is what a size of the index from some seconds ago made of it. */
function postingOf(rows: readonly Row[]): Posting {
  return {
    documents: rows.reduce((sum, { documents }) => sum + documents, 0),
    numbers: rows.flatMap(({ numbers }) => JSON.parse(numbers) as number[]),
    parts: rows.flatMap(({ parts }) =>
      (JSON.parse(parts) as number[]).map((part) => Math.min(MOST_PART, part / PART_UNIT)),
    ),
  };
}
