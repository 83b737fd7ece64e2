import type { Reader } from '../../db/connection.ts';
import { decodeChunk } from '../text/posting-chunks.ts';
import { scopePrefix, tokenOf } from '../text/terms.ts';
import { boundTokens, LAST, tokensByKind } from './index-tokens.ts';
import { inOrder, type Postings, type PostingsKey, type TermPostings } from './postings.ts';

/** Postings from the chunks of each term, decoded here. */
export const postingsPostgres: Postings = {
  async of(reader, key, terms) {
    const found = terms.map((): TermPostings => ({ numbers: [], frequencies: [], lengths: [] }));
    for (const [tokens, isPrefix] of tokensByKind(key, terms)) {
      const chunks = await readChunks(reader, key, boundTokens(tokens), isPrefix);
      for (const [at, { term }] of tokens.entries()) append(found[term]!, mergeChunks(chunks.get(at)));
    }
    return found;
  },
  async count(reader, key, terms) {
    const counts = terms.map(() => 0);
    for (const [tokens, isPrefix] of tokensByKind(key, terms)) {
      if (isPrefix) {
        // A document may hold several tokens with the prefix.
        const chunks = await readChunks(reader, key, boundTokens(tokens), isPrefix);
        for (const [at, { term }] of tokens.entries()) counts[term]! += mergeChunks(chunks.get(at)).numbers.length;
        continue;
      }
      const rows = await reader.all<{ at: number; documents: number }>(
        `SELECT n.key AS at, SUM(p.documents) AS documents FROM ${joinPostings(false)} GROUP BY n.key`,
        [boundTokens(tokens), key.tenantId, key.type],
      );
      for (const { at, documents } of rows) counts[tokens[at]!.term]! += documents;
    }
    return counts;
  },
  async have(reader, key, terms) {
    const found = new Set<number>();
    for (const [tokens, isPrefix] of tokensByKind(key, terms)) {
      const rows = await reader.all<{ at: number }>(`SELECT DISTINCT n.key AS at FROM ${joinPostings(isPrefix)}`, [
        ...[boundTokens(tokens), key.tenantId, key.type],
      ]);
      for (const { at } of rows) found.add(tokens[at]!.term);
    }
    return terms.map((_, term) => found.has(term));
  },
  async vocabulary(reader, { tenantId, type, scope }, { first, least, most, limit }) {
    const prefix = scopePrefix(scope, 'live');
    const from = tokenOf(prefix, first);
    const rows = await reader.all<{ term: string }>(
      `SELECT DISTINCT term FROM textPostings WHERE tenantId = ? AND type = ? AND term >= ? AND term < ?
         AND LENGTH(term) BETWEEN ? AND ? ORDER BY term LIMIT ?`,
      [tenantId, type, from, from + LAST, prefix.length + least, prefix.length + most, limit],
    );
    return rows.map(({ term }) => term.slice(prefix.length));
  },
};

/**
 * Tokens (`n`) with their chunks (`p`). OFFSET 0 keeps the planner from reading all terms of a tenant instead of looking
 * up each, which it does while the table has no statistics. Row-level security lets only bare comparisons use an index.
 */
function joinPostings(isPrefix: boolean): string {
  const tokens = isPrefix ? `(SELECT key, value, value || '${LAST}' AS beyond FROM texts(?) OFFSET 0)` : 'texts(?)';
  const condition = isPrefix ? 'term >= n.value AND term < n.beyond' : 'term = n.value';
  return `${tokens} n JOIN LATERAL
    (SELECT * FROM textPostings WHERE tenantId = ? AND type = ? AND ${condition} OFFSET 0) p ON TRUE`;
}

/** The chunks of each token, by its position. */
async function readChunks(
  reader: Reader,
  { tenantId, type }: PostingsKey,
  tokens: string,
  isPrefix: boolean,
): Promise<Map<number, Buffer[]>> {
  const rows = await reader.all<{ at: number; entries: Buffer }>(
    // Most chunks follow each other; the one that writes append to is the last.
    `SELECT n.key AS at, p.entries FROM ${joinPostings(isPrefix)} ORDER BY p.first = 0, p.first`,
    [tokens, tenantId, type],
  );
  const chunks = new Map<number, Buffer[]>();
  for (const { at, entries } of rows) {
    const known = chunks.get(at);
    if (known) known.push(entries);
    else chunks.set(at, [entries]);
  }
  return chunks;
}

/** Merges chunks into documents in ascending order, and adds up the tokens of each document. */
function mergeChunks(chunks: readonly Buffer[] = []): TermPostings {
  const all: TermPostings = { numbers: [], frequencies: [], lengths: [] };
  let previous = 0;
  let isAscending = true;
  for (const chunk of chunks) {
    decodeChunk(chunk, (number, frequency, length) => {
      isAscending &&= previous < number;
      previous = number;
      add(all, number, frequency, length);
    });
  }
  return isAscending ? all : inOrder(all);
}

function append(to: TermPostings, { numbers, frequencies, lengths }: TermPostings): void {
  for (const [at, number] of numbers.entries()) add(to, number, frequencies[at]!, lengths[at]!);
}

function add(to: TermPostings, number: number, frequency: number, length: number): void {
  to.numbers.push(number);
  to.frequencies.push(frequency);
  to.lengths.push(length);
}
