import { expect } from 'vitest';
import { type Connection, openConnection } from '../../../src/db/connection.ts';
import { type MessageRow, textEntryOf as messageEntryOf } from '../../../src/features/conversations/message-row.ts';
import { type EpisodeRow, textEntryOf as episodeEntryOf } from '../../../src/features/episodes/episode-row.ts';
import { type MemoryRow, storedEntryOf as memoryEntryOf } from '../../../src/features/memories/memory-row.ts';
import { passageOf } from '../../../src/features/text/passages.ts';
import { scopePrefix, termsOf, tokenOf } from '../../../src/features/text/terms.ts';
import { otherTermsOf, type TextEntry, textIndices } from '../../../src/features/text/text-indices.ts';
import { deriveFrom } from '../../../src/features/text/traits.ts';

const TOKENIZER = `porter ascii tokenchars '_'`;

interface Token {
  term: string;
  doc: number;
  offset: number;
}

/** Every token of an index with its row and position. */
async function tokensOf(connection: Connection, schema: string, index: string): Promise<Token[]> {
  await connection.exec(`DROP TABLE IF EXISTS temp.tokens`);
  await connection.exec(`CREATE VIRTUAL TABLE temp.tokens USING fts5vocab(${schema}, ${index}, 'instance')`);
  return connection.all<Token>('SELECT term, doc, "offset" FROM temp.tokens ORDER BY doc, "offset"');
}

/** All tokens of an entry, as FTS5 takes them. */
function bodyOf(entry: TextEntry): string {
  const terms = [...termsOf(entry.texts.join('\n')), ...otherTermsOf(entry)];
  return terms.map((term) => tokenOf(scopePrefix(entry.scope, entry.part), term)).join(' ');
}

/** The tokens of an index rebuilt from these entries. */
async function tokensAnew(connection: Connection, entries: readonly TextEntry[]): Promise<Token[]> {
  await connection.exec('DROP TABLE IF EXISTS temp.tokens');
  await connection.exec('DROP TABLE IF EXISTS temp.anew');
  await connection.exec(`CREATE VIRTUAL TABLE temp.anew USING fts5(body, content='', tokenize="${TOKENIZER}")`);
  for (const entry of entries) {
    await connection.run('INSERT INTO temp.anew (rowid, body) VALUES (?, ?)', [entry.number, bodyOf(entry)]);
  }
  return tokensOf(connection, 'temp', 'anew');
}

interface Totals {
  tenantId: string;
  scope: number;
  type: string;
  documents: number;
  words: number;
  passages: number;
}

/** The totals of these entries, counted anew. */
function totalsOf(type: string, entries: readonly TextEntry[]): Totals[] {
  const users = new Map<string, TextEntry[]>();
  for (const entry of entries) {
    const key = `${entry.tenantId} ${entry.scope}`;
    users.set(key, [...(users.get(key) ?? []), entry]);
  }
  return [...users.values()].map((own) => ({
    tenantId: own[0]!.tenantId,
    scope: own[0]!.scope,
    type,
    documents: own.length,
    words: own.reduce((sum, entry) => sum + bodyOf(entry).split(' ').length, 0),
    passages: type === 'message' ? new Set(own.map(({ number }) => passageOf(number))).size : 0,
  }));
}

const inOrder = (totals: readonly Totals[]) => totals.map((each) => JSON.stringify(each)).sort();

/**
 * Expects each index to match its rows token by token, the totals to match a recount, and the traits and dates of each
 * row to match its text.
 */
export async function expectIndexEqualsRows(file: string): Promise<void> {
  const connection = await openConnection(file);
  try {
    const memories = await connection.all<MemoryRow>('SELECT * FROM memories ORDER BY number');
    const messages = await connection.all<MessageRow>('SELECT * FROM messages ORDER BY number');
    const episodes = await connection.all<EpisodeRow>('SELECT * FROM episodes ORDER BY number');
    const entries = {
      memoryText: memories.map(memoryEntryOf),
      messageText: messages.map(messageEntryOf),
      episodeText: episodes.map((row) => episodeEntryOf(row, row.number)),
    };
    for (const [index, all] of Object.entries(entries)) {
      expect(await tokensOf(connection, 'main', index), index).toEqual(await tokensAnew(connection, all));
    }
    const counted = [
      ...totalsOf('memory', entries.memoryText),
      ...totalsOf('message', entries.messageText),
      ...totalsOf('episode', entries.episodeText),
    ];
    const stored = await connection.all<Totals>(
      'SELECT tenantId, scope, type, documents, words, passages FROM wordTotals',
    );
    expect(inOrder(stored)).toEqual(inOrder(counted));
    for (const row of [
      ...memories.map((each) => [each, each.occurredAt ?? each.createdAt] as const),
      ...messages.map((each) => [each, each.createdAt] as const),
    ]) {
      const [{ content, traits, dates }, saidAtMs] = row;
      expect({ traits, dates }, content).toEqual(deriveFrom(content, saidAtMs));
    }
    for (const { problems } of Object.values(textIndices)) expect(await problems(connection)).toEqual([]);
  } finally {
    await connection.close();
  }
}
