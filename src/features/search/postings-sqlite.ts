import type { Reader } from '../../db/connection.ts';
import { scopePrefix, tokenOf } from '../text/terms.ts';
import { INDEX_OF, lengthOfHex } from '../text/text-index-documents-sqlite.ts';
import { boundTokens, type IndexToken, LAST, tokensByKind } from './index-tokens.ts';
import type { Postings, PostingsKey, TermPostings } from './postings.ts';

const EXACT = 'term = n.value';
const PREFIXED = `term >= n.value AND term < n.value || '${LAST}'`;

/**
 * Postings from FTS5's vocabulary tables, as JSON with one row per term: decoding 100,000 small rows would block the
 * event loop, long strings do not. The functions of FTS5 itself count the documents of all users.
 */
export const postingsSqlite: Postings = {
  async of(reader, key, terms) {
    const found = terms.map((): TermPostings => ({ numbers: [], frequencies: [], lengths: [] }));
    for (const [tokens, isPrefix] of tokensByKind(key, terms)) {
      const rows = await readEach<{ at: number; postings: string }>(reader, tokens, postingsSql(key, isPrefix));
      for (const { at, postings } of rows) addPostings(found[tokens[at]!.term]!, postings);
    }
    return found;
  },
  async count(reader, key, terms) {
    const counts = terms.map(() => 0);
    for (const [tokens, isPrefix] of tokensByKind(key, terms)) {
      const rows = await readEach<{ at: number; documents: number }>(reader, tokens, countSql(key, isPrefix));
      for (const { at, documents } of rows) counts[tokens[at]!.term]! += documents;
    }
    return counts;
  },
  async have(reader, key, terms) {
    const found = new Set<number>();
    for (const [tokens, isPrefix] of tokensByKind(key, terms)) {
      const rows = await readEach<{ at: number }>(reader, tokens, existsSql(key, isPrefix));
      for (const { at } of rows) found.add(tokens[at]!.term);
    }
    return terms.map((_, term) => found.has(term));
  },
  async vocabulary(reader, { type, scope }, { first, least, most, limit }) {
    const prefix = scopePrefix(scope, 'live');
    const from = tokenOf(prefix, first);
    const row = await reader.get<{ terms: string }>(
      `SELECT json_group_array(term) AS terms FROM (SELECT SUBSTR(term, ?) AS term FROM ${INDEX_OF[type]}Words
       WHERE term >= ? AND term < ? AND LENGTH(term) BETWEEN ? AND ? LIMIT ?)`,
      [prefix.length + 1, from, from + LAST, prefix.length + least, prefix.length + most, limit],
    );
    return JSON.parse(row!.terms) as string[];
  },
};

function readEach<T>(reader: Reader, tokens: readonly IndexToken[], sql: string): Promise<T[]> {
  return reader.all<T>(sql, [boundTokens(tokens)]);
}

function postingsSql({ type }: PostingsKey, isPrefix: boolean): string {
  const index = INDEX_OF[type];
  // The occurrences of one token are in the order of the documents.
  const order = isPrefix ? ' ORDER BY d.id' : '';
  return `SELECT n.key AS at, (SELECT json_array(json_group_array(d.id${order}), json_group_array(HEX(d.sz)${order}))
      FROM ${index}Instances CROSS JOIN ${index}_docsize d ON d.id = doc
      WHERE ${isPrefix ? PREFIXED : EXACT}) AS postings
    FROM texts(?) n`;
}

function countSql({ type }: PostingsKey, isPrefix: boolean): string {
  const index = INDEX_OF[type];
  return isPrefix
    ? `SELECT n.key AS at, (SELECT COUNT(DISTINCT doc) FROM ${index}Instances WHERE ${PREFIXED}) AS documents
       FROM texts(?) n`
    : `SELECT n.key AS at, doc AS documents FROM texts(?) n CROSS JOIN ${index}Words ON ${EXACT}`;
}

function existsSql({ type }: PostingsKey, isPrefix: boolean): string {
  return `SELECT n.key AS at FROM texts(?) n
    WHERE EXISTS (SELECT 1 FROM ${INDEX_OF[type]}Instances WHERE ${isPrefix ? PREFIXED : EXACT})`;
}

/** Adds the occurrences of a token, which are grouped by document. */
function addPostings({ numbers, frequencies, lengths }: TermPostings, json: string): void {
  const [documents, hexes] = JSON.parse(json) as [number[], string[]];
  const decoded = new Map<string, number>();
  for (const [at, number] of documents.entries()) {
    if (at > 0 && documents[at - 1] === number) {
      frequencies[frequencies.length - 1]! += 1;
      continue;
    }
    const hex = hexes[at]!;
    if (!decoded.has(hex)) decoded.set(hex, lengthOfHex(hex));
    numbers.push(number);
    frequencies.push(1);
    lengths.push(decoded.get(hex)!);
  }
}
