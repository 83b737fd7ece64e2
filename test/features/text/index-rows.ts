import { expect } from 'vitest';
import { ITEM_TYPES, type ItemType } from '../../../src/contract/search.ts';
import { type Connection, openConnection } from '../../../src/db/connection.ts';
import type { Database } from '../../../src/db/open.ts';
import { type MessageRow, textEntryOf as messageEntryOf } from '../../../src/features/conversations/message-row.ts';
import { type EpisodeRow, textEntryOf as episodeEntryOf } from '../../../src/features/episodes/episode-row.ts';
import { type MemoryRow, storedEntryOf as memoryEntryOf } from '../../../src/features/memories/memory-row.ts';
import { passageOf } from '../../../src/features/text/passages.ts';
import { stemOf } from '../../../src/features/text/porter.ts';
import { entriesOf } from '../../../src/features/text/posting-chunks.ts';
import { scopePrefix, termsOf, tokenOf } from '../../../src/features/text/terms.ts';
import { INDEX_OF } from '../../../src/features/text/text-index-documents-sqlite.ts';
import { otherTermsOf, type TextEntry, textIndices } from '../../../src/features/text/text-indices.ts';
import { deriveFrom } from '../../../src/features/traits/traits.ts';

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

/** A document under one of its stems. */
interface Listed {
  term: string;
  number: number;
  frequency: number;
  length: number;
}

const byTermAndNumber = (a: Listed, b: Listed) => (a.term < b.term ? -1 : a.term > b.term ? 1 : a.number - b.number);

/** Every posting of an index on PostgreSQL. */
async function postingsOf(connection: Connection, type: ItemType): Promise<Listed[]> {
  const chunks = await connection.all<{ term: string; entries: Buffer }>(
    'SELECT term, entries FROM textPostings WHERE type = ?',
    [type],
  );
  const all = chunks.flatMap(({ term, entries }) => entriesOf(entries).map((each) => ({ term, ...each })));
  return all.sort(byTermAndNumber);
}

function postingsAnew(entries: readonly TextEntry[]): Listed[] {
  const all = entries.flatMap((entry) => {
    const stems = bodyOf(entry).split(' ').map(stemOf);
    return [...new Set(stems)].map((term) => {
      const frequency = stems.filter((stem) => stem === term).length;
      return { term, number: entry.number, frequency, length: stems.length };
    });
  });
  return all.sort(byTermAndNumber);
}

/**
 * Expects the index of a daemon, and the traits and dates of its rows, to match the texts. It reads in one transaction:
 * background work changes them meanwhile.
 */
export async function expectIndexEqualsRows({ db }: { db: Database }): Promise<void> {
  await db.writes.write('daemon', expectEqualsRows);
}

/** The same of a file of SQLite. */
export async function expectFileEqualsRows(file: string): Promise<void> {
  const connection = await openConnection(file);
  try {
    await connection.exec('BEGIN');
    await expectEqualsRows(connection);
  } finally {
    await connection.close();
  }
}

/**
 * Expects each index to match its rows token by token, the totals to match a recount, and the traits and dates of each
 * row to match its text.
 */
async function expectEqualsRows(connection: Connection): Promise<void> {
  const memories = await connection.all<MemoryRow>('SELECT * FROM memories ORDER BY number');
  const messages = await connection.all<MessageRow>('SELECT * FROM messages ORDER BY number');
  const episodes = await connection.all<EpisodeRow>('SELECT * FROM episodes ORDER BY number');
  const entries = {
    memory: memories.map(memoryEntryOf),
    message: messages.map(messageEntryOf),
    episode: episodes.map((row) => episodeEntryOf(row, row.number)),
  };
  for (const type of ITEM_TYPES) {
    if (connection.engine === 'postgres') {
      expect(await postingsOf(connection, type), type).toEqual(postingsAnew(entries[type]));
    } else {
      expect(await tokensOf(connection, 'main', INDEX_OF[type]), type).toEqual(
        await tokensAnew(connection, entries[type]),
      );
    }
  }
  const counted = ITEM_TYPES.flatMap((type) => totalsOf(type, entries[type]));
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
}
