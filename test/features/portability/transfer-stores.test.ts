import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader, type Value } from '../../../src/db/connection.ts';
import * as conversations from '../../../src/features/conversations/conversation-import-export-store.ts';
import * as episodes from '../../../src/features/episodes/episodes-store.ts';
import * as memories from '../../../src/features/memories/memory-import-export-store.ts';
import * as suggestions from '../../../src/features/suggestions/suggestions-store.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

/** Two tenants with the same ids: only the predicate of a statement separates them. */

let folder: string;
let connection: Connection;
let plans: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-transfer-'));
  await createMigratedDatabase(folder);
  connection = await openConnection(join(folder, 'svc.db'));
  for (const tenantId of ['ten_a', 'ten_b']) await fill(tenantId);
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true, force: true });
});

/** Inserts one row into each table, with the required columns only. */
async function fill(tenantId: string): Promise<void> {
  for (const table of ['memories', 'conversations', 'messages', 'episodes', 'suggestions']) {
    const columns = await connection.all<{ name: string; notnull: number; type: string }>(
      `PRAGMA table_info(${table})`,
    );
    const needed = columns.filter(({ notnull }) => notnull);
    const number = tenantId === 'ten_a' ? 1 : 2;
    const values: Record<string, Value> = {
      ...{ tenantId, number, id: 'x', conversationId: 'x', endUser: 'u', content: tenantId },
    };
    const row = needed.map(({ name, type }) => values[name] ?? (/text/i.test(type) ? '{}' : 1));
    const names = needed.map(({ name }) => name);
    await connection.run(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`, row);
  }
}

/** A reader that records the query plan of each statement. */
const spy: Reader = {
  engine: 'sqlite',
  async all(sql, values) {
    const lines = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    plans.push(...lines.map(({ detail }) => detail));
    return connection.all(sql, values);
  },
  get: (sql, values) => connection.get(sql, values),
};

const tenantId = 'ten_b';
const version = { tenantId, user: undefined, after: { id: '', version: 0 }, nowMs: 1, limit: 9 };
const page = { tenantId, user: undefined, afterId: '', limit: 9 };

test.each<[string, () => Promise<object[]>, RegExp]>([
  [
    'all versions',
    () => memories.listAllVersions(spy, version),
    /^SEARCH m .*\(tenantId=\? AND \(id,version\)>\(\?,\?\)\)/,
  ],
  ['all versions of a user', () => memories.listAllVersions(spy, { ...version, user: 'u' }), /^SEARCH m .*tenantId=\?/],
  ['existing memories', () => memories.findPresent(spy, tenantId, ['x']), /\(tenantId=\? AND id=\?\)/],
  ['all conversations', () => conversations.listAllConversations(spy, page), /\(tenantId=\? AND id>\?\)/],
  [
    'all conversations of a user',
    () => conversations.listAllConversations(spy, { ...page, user: 'u' }),
    /\(tenantId=\? AND endUser=\? AND id>\?\)/,
  ],
  [
    'existing conversations',
    () => conversations.findConversationsById(spy, tenantId, ['x']),
    /\(tenantId=\? AND id=\?\)/,
  ],
  ['existing messages', () => conversations.findMessages(spy, tenantId, ['x']), /\(tenantId=\? AND id=\?\)/],
  [
    'taken ordinals',
    async () => (await conversations.findUsedRowIds(spy, tenantId, [1, 2, 3])).map((number) => ({ number })),
    /^SEARCH m USING INTEGER PRIMARY KEY/,
  ],
  ['all episodes', () => episodes.listAllEpisodes(spy, page), /\(tenantId=\? AND id>\?\)/],
  ['all suggestions', () => suggestions.listDecidable(spy, page), /\(tenantId=\? AND id>\?\)/],
  [
    'all suggestions of a user',
    () => suggestions.listDecidable(spy, { ...page, user: 'u' }),
    /\(tenantId=\? AND id>\?\)/,
  ],
  ['existing suggestions', () => suggestions.findSuggestionsById(spy, tenantId, ['x']), /\(tenantId=\? AND id=\?\)/],
])('%s: reads only the tenant’s rows, through an index', async (name, read, expected) => {
  plans = [];
  const rows = await read();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('ten_a');
  expect(
    plans.some((line) => expected.test(line)),
    `${name}\n${plans.join('\n')}`,
  ).toBe(true);
  expect(plans.join()).not.toContain('TEMP B-TREE FOR ORDER BY');
  expect(
    plans.filter((line) => /^SCAN (m|memories|conversations|messages|episodes|suggestions|s)\b/.test(line)),
  ).toEqual([]);
});

test('existing episodes: reads only the tenant’s rows', async () => {
  expect(await episodes.findEpisodeIds(connection, tenantId, ['x', 'y'])).toEqual(['x']);
  expect(await episodes.findEpisodeIds(connection, 'ten_c', ['x'])).toEqual([]);
});
