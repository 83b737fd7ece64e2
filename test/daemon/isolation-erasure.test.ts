import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '../../src/db/connection.ts';
import { conversing, SPAN } from '../features/conversations/conversation-caller.ts';
import { converse, extractAndWait, extracted } from '../features/extraction/extraction-daemon.ts';
import { type Caller, createCaller, type MemoryDaemon } from '../features/memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../features/providers/provider-daemon.ts';
import { onPostgres } from '../helpers/postgres/folder-databases.ts';
import type { ProviderServer } from '../helpers/providers/server.ts';
import { traces } from '../helpers/tables.ts';

const DATABASE_FILE = 'svc.db';
const CANARY = 'quetzalcoatlus';

let daemon: MemoryDaemon;
let server: ProviderServer;
let kept: Caller;
let before: { tables: Record<string, number>; words: number[] };

/** Counts the rows with the canary or the tenant's id by table, apart from rate limits, which end by themselves. */
async function rowsWith(tenantId: string): Promise<Record<string, number>> {
  const { buckets: _, ...others } = await traces(daemon.db.readers, [CANARY, tenantId]);
  return others;
}

/** Counts the words with the canary in each full-text index. */
async function indexedWords(): Promise<number[]> {
  const canary = `%\\_${CANARY.slice(0, 8)}%`;
  if (onPostgres) {
    const sql = `SELECT COUNT(*) AS count FROM textPostings WHERE type = ? AND term LIKE ?`;
    return counts(['memory', 'message', 'episode'], (type) => daemon.db.readers.get(sql, [type, canary]));
  }
  return counts(['memoryText', 'messageText', 'episodeText'], (index) =>
    daemon.db.writes.write('daemon', async (connection) => {
      await connection.exec(`CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', '${index}', 'row')`);
      const row = await connection.get(`SELECT COUNT(*) AS count FROM temp.words WHERE term LIKE ? ESCAPE '\\'`, [
        canary,
      ]);
      await connection.exec('DROP TABLE temp.words');
      return row;
    }),
  );
}

async function counts(indices: string[], count: (index: string) => Promise<Row | undefined>): Promise<number[]> {
  const found: number[] = [];
  for (const index of indices) found.push((await count(index))!.count as number);
  return found;
}

async function fill(caller: Caller): Promise<void> {
  const memory = {
    content: `The ${CANARY} flies`,
    tags: [CANARY],
    metadata: { [CANARY]: CANARY },
    user: CANARY,
    source: { messageId: CANARY },
  };
  const { body } = await caller.call('/v1/memories', { body: memory, headers: { 'idempotency-key': CANARY } });
  await caller.change(body.id as string, { content: `The ${CANARY} lands` });
  await caller.add(`The ${CANARY} sleeps`, { user: CANARY, supersedes: body.id });
  await caller.addAll(Array.from({ length: 450 }, (_, index) => ({ content: `${CANARY} ${index}` })));
  const { searchId, results } = (await caller.search(CANARY, { user: CANARY })).body;
  const used = [results[0]!.id];
  expect((await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used } })).status).toBe(202);
  const talk = conversing(caller);
  const { id } = await talk.begin({ title: CANARY, user: CANARY });
  await talk.append(
    id,
    Array.from({ length: 450 }, (_, index) => ({ role: 'user', content: `${CANARY} ${index}` })),
    {
      'idempotency-key': `messages ${CANARY}`,
    },
  );
  await talk.cut(id);
  await talk.episode({ title: CANARY, ...SPAN });
  const webhook = { url: `${server.baseUrl}/${CANARY}`, user: CANARY };
  expect((await caller.call('/v1/webhooks', { body: webhook })).status).toBe(201);
  await caller.add(`The ${CANARY} wakes`, { user: CANARY });
  await daemon.webhooks.collect();
  await putKey(caller, server, `sk-${CANARY}`);
  const settings = { extraction: { onAppend: true } };
  expect((await caller.call('/v1/provider-settings', { method: 'PATCH', body: settings })).status).toBe(200);
  server.respond(() => ({ memories: [extracted(`The ${CANARY} eats`, [1])] }));
  expect((await extractAndWait(caller, await converse(caller, [`${CANARY} eats`], CANARY))).state).toBe('done');
}

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai');
  kept = await daemon.account();
  await kept.addAll([{ content: 'A neighbour stays', tags: ['stays'] }]);
  const { apiKey, account } = await daemon.signInByMail(`${CANARY}@example.com`);
  const erased = createCaller(daemon.call, apiKey, account.tenantId);
  await fill(erased);
  await daemon.usage.flushRequests();
  before = { tables: await rowsWith(erased.tenantId), words: await indexedWords() };
  const answer = await erased.call('/v1/account', { method: 'DELETE' });
  expect(answer.status, answer.text).toBe(204);
  await daemon.usage.flushRequests();
  tenantId = erased.tenantId;
  key = apiKey;
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

let tenantId: string;
let key: string;

describe('erasing a tenant', () => {
  test('leaves no row in any table', async () => {
    expect(Object.keys(before.tables)).toEqual(
      expect.arrayContaining([
        'tenants',
        'apiKeys',
        'signInLinks',
        'usageDays',
        'memories',
        'memoryTags',
        'conversations',
        'messages',
        'episodes',
        'scopes',
        'idempotencyKeys',
        'idempotencyResources',
        'searches',
        'learned',
        'learnedWords',
        'learningDays',
        'dataKeys',
        'providerKeys',
        'providerSettings',
        'providerUsage',
        'jobs',
        'webhooks',
        'webhookDeliveries',
        'extractions',
      ]),
    );
    expect(await rowsWith(tenantId)).toEqual({});
  });

  test('leaves no word in the full-text index', async () => {
    expect(before.words.every((count) => count > 0)).toBe(true);
    expect(await indexedWords()).toEqual([0, 0, 0]);
  });

  // PostgreSQL cleans its pages later, on its own schedule.
  test.skipIf(onPostgres)('leaves no word on the disk after the next sweep', async () => {
    for (const room of [daemon.memories, daemon.conversations, daemon.episodes]) await room.sweep();
    await daemon.db.checkpoint();
    for (const suffix of ['', '-wal']) {
      const bytes = await readFile(join(daemon.folder, DATABASE_FILE + suffix)).catch(() => Buffer.alloc(0));
      expect(bytes.includes(CANARY), `database file${suffix}`).toBe(false);
      expect(bytes.includes(tenantId), `database file${suffix}`).toBe(false);
    }
  });

  test('revokes its key at once, and its address can sign up again with an empty account', async () => {
    expect((await daemon.call(key, '/v1/memories')).status).toBe(401);
    const { apiKey, account } = await daemon.signInByMail(`${CANARY}@example.com`);
    expect(account.tenantId).not.toBe(tenantId);
    const again = createCaller(daemon.call, apiKey, account.tenantId);
    expect(await again.list('?includeSuperseded=true')).toEqual([]);
    expect(await again.find(CANARY, { user: CANARY })).toEqual([]);
    const nothing = { memories: 0, conversations: 0, messages: 0, episodes: 0, learned: 0, suggestions: 0 };
    const exported = (await again.call('/v1/export')).text.trimEnd().split('\n').slice(1);
    expect(exported.map((line) => JSON.parse(line))).toEqual([{ type: 'end', ...nothing }]);
    const replay = await again.call('/v1/memories', { body: { content: 'x' }, headers: { 'idempotency-key': CANARY } });
    expect(replay.status).toBe(201);
    expect((await again.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
  });

  test('does not affect another tenant', async () => {
    expect(await kept.find('neighbour')).toEqual(['A neighbour stays']);
    expect(await kept.list('?tag=stays')).toEqual(['A neighbour stays']);
  });
});
