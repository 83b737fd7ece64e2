import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import type { ProviderServer } from '../../helpers/providers/server.ts';
import { countRows, insertSample, tablesWith, traces } from '../../helpers/tables.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { converse, extractAndWait, extracted } from '../extraction/extraction-daemon.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../providers/provider-daemon.ts';
import { expectIndexEqualsRows } from '../text/index-rows.ts';

const CANARY = 'pachycephalosaurus';
const STAYS = 'archaeopteryx';
/** What the idempotency keys of each user end in: keys are stored for a day, whatever they created. */
const KEYS: Record<string, string> = { [CANARY]: 'one', [STAYS]: 'two' };

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai');
});
beforeEach(async () => {
  caller = await newAccount(daemon);
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

const erase = (name: string, headers = {}) => caller.call(`/v1/users/${name}`, { method: 'DELETE', headers });

/** More memories, and messages, than a transaction of an erasure deletes. */
const MANY = 250;

/** Stores data of a user in every feature, each with the word in its texts. */
async function fill(user: string, word: string, items = MANY): Promise<void> {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': `${key} ${KEYS[user]}` } });
  const memory = { content: `The ${word} flies`, tags: [word], metadata: { [word]: word }, user };
  const { body } = await caller.call('/v1/memories', { body: memory, ...keyed('memory') });
  await caller.change(body.id as string, { content: `The ${word} lands` });
  await caller.add(`The ${word} sleeps`, { user, supersedes: body.id });
  await caller.addAll(Array.from({ length: items }, (_, index) => ({ content: `${word} ${index}`, user })));
  const { searchId, results } = (await caller.search(word, { user })).body;
  const used = [results[0]!.id];
  expect((await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used } })).status).toBe(202);
  const talk = conversing(caller);
  const { id } = (await caller.call('/v1/conversations', { body: { title: word, user }, ...keyed('talk') })).body;
  const parts = [{ type: 'tool_call', id: 'a', name: word, arguments: { [word]: word } }];
  const messages = Array.from({ length: items }, (_, index) => ({
    role: 'user',
    name: word,
    content: `${word} ${index}`,
  }));
  await talk.append(id as string, [...messages, { role: 'assistant', content: parts }], keyed('messages').headers);
  await talk.cut(id as string);
  await caller.call('/v1/episodes', { body: { title: word, summary: word, user, ...SPAN }, ...keyed('episode') });
  server.respond(() => ({ memories: [extracted(`The ${word} eats`, [1])] }));
  expect((await extractAndWait(caller, await converse(caller, [`${word} eats`], user))).state).toBe('done');
}

describe('erasing a user', () => {
  test('leaves no trace in any table, index or file, and everything of the others', async () => {
    await putKey(caller, server, 'sk-test');
    await fill(CANARY, CANARY);
    await fill(STAYS, STAYS, 20);
    await daemon.learning.flush();
    expect(Object.keys(await traces(daemon.db.readers, [CANARY]))).toEqual(
      expect.arrayContaining([
        ...['memories', 'memoryTags', 'conversations', 'messages', 'episodes', 'scopes', 'idempotencyKeys'],
        ...['searches', 'learned', 'learningDays', 'jobs'],
      ]),
    );
    const others = await traces(daemon.db.readers, [STAYS]);

    expect((await erase(CANARY)).status).toBe(204);

    expect(await traces(daemon.db.readers, [CANARY])).toEqual({});
    expect(await traces(daemon.db.readers, [STAYS])).toEqual(others);
    for (const feature of [daemon.memories, daemon.conversations, daemon.episodes]) await feature.sweep();
    await daemon.db.checkpoint();
    await expectIndexEqualsRows(daemon);
    expect(await caller.find(CANARY, { user: STAYS })).toEqual([]);
    expect((await caller.find(STAYS, { user: STAYS, types: ['memory'] })).length).toBeGreaterThan(0);
    expect((await caller.call(`/v1/users/${CANARY}`)).status).toBe(404);

    // Stored answers that quote the user are redacted.
    const request = (user: string) => ({
      body: { content: `The ${user} flies`, tags: [user], metadata: { [user]: user }, user },
      headers: { 'idempotency-key': `memory ${KEYS[user]}` },
    });
    expect((await caller.call('/v1/memories', request(CANARY))).status).toBe(410);
    expect((await caller.call('/v1/memories', request(STAYS))).headers.get('idempotency-replayed')).toBe('true');
  });

  // PostgreSQL cleans its pages later, on its own schedule.
  test.skipIf(onPostgres)('leaves no word of it on the disk', async () => {
    await caller.addAll(
      Array.from({ length: MANY }, (_, index) => ({ content: `stegosaurus ${index}`, user: 'steg' })),
    );
    const talk = conversing(caller);
    const { id } = await talk.begin({ title: 'stegosaurus', user: 'steg' });
    await talk.say(
      id,
      ...Array.from({ length: MANY }, (_, index) => `stegosaurus number ${index} grazed in the valley`),
    );
    await talk.cut(id);
    expect((await erase('steg')).status).toBe(204);
    for (const feature of [daemon.memories, daemon.conversations, daemon.episodes]) await feature.sweep();
    await daemon.db.checkpoint();
    for (const name of ['svc.db', 'svc.db-wal']) {
      const bytes = await readFile(join(daemon.folder, name)).catch(() => Buffer.alloc(0));
      expect(bytes.includes('stegosaurus'), name).toBe(false);
    }
  });

  test('reaches every one of many conversations, and the episodes of other users that refer to them', async () => {
    const talk = conversing(caller);
    const begin = async (index: number) => {
      const { id } = await talk.begin({ user: 'ada' });
      await talk.say(id, `The heron landed at pond ${index}.`);
      return id;
    };
    const ids = await Promise.all(Array.from({ length: 60 }, (_, index) => begin(index)));
    const [first] = (await talk.page(ids[7]!)).data;
    const span = { conversationId: ids[7], fromMessageId: first!.id, toMessageId: first!.id };
    const foreign = await talk.episode({ title: 'Overheard', user: 'bob', ...SPAN, ...span });
    expect((await erase('ada')).status).toBe(204);
    const left = { conversationId: null, fromMessageId: null, toMessageId: null };
    expect(await talk.readEpisode(foreign.id)).toMatchObject({ title: 'Overheard', user: 'bob', ...left });
    expect((await caller.call('/v1/conversations')).body).toEqual({ data: [], nextCursor: null });
    await expectIndexEqualsRows(daemon);
  });

  test('lets a user of the same name begin anew', async () => {
    await caller.add('The heron landed', { user: 'ada' });
    await caller.find('heron', { user: 'ada' });
    await erase('ada');
    await caller.add('The bittern landed', { user: 'ada' });
    expect(await caller.find('landed', { user: 'ada' })).toEqual(['The bittern landed']);
    expect((await caller.call('/v1/users/ada')).body).toMatchObject({ memories: 1 });
    await expectIndexEqualsRows(daemon);
  });

  test('happens only if the user has not changed since it was read', async () => {
    await caller.add('One', { user: 'ada' });
    const etag = (await caller.call('/v1/users/ada')).headers.get('etag')!;
    await caller.add('Two', { user: 'ada' });
    expect((await erase('ada', { 'if-match': etag })).status).toBe(412);
    expect((await caller.call('/v1/users/ada')).body).toMatchObject({ memories: 2 });
    const now = (await caller.call('/v1/users/ada')).headers.get('etag')!;
    expect((await erase('ada', { 'if-match': now })).status).toBe(204);
  });

  test('refuses what is created for the user meanwhile, so that no acknowledged item disappears', async () => {
    await caller.addAll(Array.from({ length: MANY }, (_, index) => ({ content: `Heron ${index}`, user: 'ada' })));
    const erasing = erase('ada');
    const during = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        caller.call('/v1/memories', { body: { content: `Late ${index}`, user: 'ada' } }),
      ),
    );
    expect((await erasing).status).toBe(204);
    expect(during.every(({ status }) => status === 201 || status === 409)).toBe(true);
    const kept = await caller.list('?user=ada&limit=200');
    const afterwards = await caller.call('/v1/memories', { body: { content: 'Afterwards', user: 'ada' } });
    expect(afterwards.status).toBe(201);
    expect(kept.every((content) => content.startsWith('Late'))).toBe(true);
    await expectIndexEqualsRows(daemon);
  });
});

test('erasing a user empties every table that names one, and leaves other users and accounts alone', async () => {
  const neighbor = await newAccount(daemon);
  const owners = [
    { tenantId: caller.tenantId, endUser: 'erased' },
    { tenantId: caller.tenantId, endUser: 'kept' },
    { tenantId: neighbor.tenantId, endUser: 'erased' },
  ] as const;
  const tables = await tablesWith(daemon.db.readers, 'endUser');
  // Old searches are deleted in the background.
  const createdAt = daemon.clock.nowMs();
  expect(tables.length).toBeGreaterThan(6);
  for (const owner of owners) {
    for (const table of tables) {
      await daemon.db.writes.write('daemon', (connection) => insertSample(connection, table, { ...owner, createdAt }));
    }
  }

  expect((await erase('erased')).status).toBe(204);

  const [erased, ...kept] = await Promise.all(
    owners.map((owner) => Promise.all(tables.map((table) => countRows(daemon.db.readers, table, owner)))),
  );
  expect(Object.fromEntries(tables.map((table, index) => [table, erased![index]]))).toEqual(
    Object.fromEntries(tables.map((table) => [table, 0])),
  );
  for (const counts of kept) expect(counts).toEqual(tables.map(() => 1));
  // Samples are not indexed.
  for (const { call } of [caller, neighbor]) await call('/v1/account', { method: 'DELETE' });
});

test('an erasure that a crash interrupted is finished at the next start', async () => {
  let crashed = await startMemoryDaemon();
  const { folder } = crashed;
  const owner = await newAccount(crashed);
  await owner.addAll(Array.from({ length: 250 }, (_, index) => ({ content: `Heron ${index}`, user: 'ada' })));
  await owner.add('Bittern', { user: 'bob' });
  const talk = conversing(owner);
  await talk.say((await talk.begin({ user: 'ada' })).id, 'The heron landed');
  // As the first transaction of an erasure leaves it.
  await crashed.db.writes.write('daemon', (connection) =>
    connection.run(`UPDATE scopes SET erasedAt = 1 WHERE tenantId = ? AND endUser = 'ada'`, [owner.tenantId]),
  );
  await crashed.stop();
  crashed = await startMemoryDaemon({ dataDir: folder });
  const rowsOf = (endUser: string) =>
    crashed.db.readers.all(`SELECT scope FROM scopes WHERE tenantId = ? AND endUser = ?`, [owner.tenantId, endUser]);
  await expect.poll(() => rowsOf('ada')).toEqual([]);
  for (const table of ['scopes', 'memories', 'conversations']) {
    const rows = await crashed.db.readers.all<{ endUser: string }>(
      `SELECT DISTINCT endUser FROM ${table} WHERE tenantId = ?`,
      [owner.tenantId],
    );
    expect(
      rows.map(({ endUser }) => endUser),
      table,
    ).toEqual(table === 'conversations' ? [] : ['bob']);
  }
  await crashed.close();
});
