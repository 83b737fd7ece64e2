import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Value } from '../../../src/db/connection.ts';
import type { ProviderServer } from '../../helpers/providers/server.ts';
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
  caller = await newAccount(daemon);
  await putKey(caller, server, 'sk-test');
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

const erase = (name: string, headers = {}) => caller.call(`/v1/users/${name}`, { method: 'DELETE', headers });

/** Stores data of a user in every feature, each with the word in its texts. */
async function fill(user: string, word: string): Promise<void> {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': `${key} ${KEYS[user]}` } });
  const memory = { content: `The ${word} flies`, tags: [word], metadata: { [word]: word }, user };
  const { body } = await caller.call('/v1/memories', { body: memory, ...keyed('memory') });
  await caller.change(body.id as string, { content: `The ${word} lands` });
  await caller.add(`The ${word} sleeps`, { user, supersedes: body.id });
  await caller.addAll(Array.from({ length: 450 }, (_, index) => ({ content: `${word} ${index}`, user })));
  const { searchId, results } = (await caller.search(word, { user })).body;
  const used = [results[0]!.id];
  expect((await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used } })).status).toBe(202);
  const talk = conversing(caller);
  const { id } = (await caller.call('/v1/conversations', { body: { title: word, user }, ...keyed('talk') })).body;
  const parts = [{ type: 'tool_call', id: 'a', name: word, arguments: { [word]: word } }];
  const messages = Array.from({ length: 450 }, (_, index) => ({
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

/** Counts the rows of each table that contain a text in any column. */
async function traces(text: string): Promise<Record<string, number>> {
  const tables = await daemon.db.readers.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE '%Text\\_%' ESCAPE '\\'`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const columns = await daemon.db.readers.all<{ name: string }>(`SELECT name FROM pragma_table_info(?)`, [name]);
    const row = await daemon.db.readers.get<{ count: number }>(
      `SELECT COUNT(*) AS count FROM "${name}" WHERE ${columns.map((one) => `INSTR("${one.name}", ?)`).join(' OR ')}`,
      columns.map(() => text),
    );
    if (row!.count > 0) counts[name] = row!.count;
  }
  return counts;
}

describe('erasing a user', () => {
  test('leaves no trace in any table, index or file, and everything of the others', async () => {
    await fill(CANARY, CANARY);
    await fill(STAYS, STAYS);
    await daemon.learning.flush();
    expect(Object.keys(await traces(CANARY))).toEqual(
      expect.arrayContaining([
        ...['memories', 'memoryTags', 'conversations', 'messages', 'episodes', 'scopes', 'idempotencyKeys'],
        ...['searches', 'learned', 'learningDays', 'jobs'],
      ]),
    );
    const others = await traces(STAYS);

    expect((await erase(CANARY)).status).toBe(204);

    expect(await traces(CANARY)).toEqual({});
    expect(await traces(STAYS)).toEqual(others);
    for (const feature of [daemon.memories, daemon.conversations, daemon.episodes]) await feature.sweep();
    await daemon.db.checkpoint();
    await expectIndexEqualsRows(join(daemon.folder, 'svc.db'));
    expect(await caller.find(CANARY, { user: STAYS })).toEqual([]);
    expect((await caller.find(STAYS, { user: STAYS, types: ['memory'] })).length).toBeGreaterThan(0);
    expect((await caller.call(`/v1/users/${CANARY}`)).status).toBe(404);
  });

  test('redacts the stored answers that quote it', async () => {
    const request = (user: string) => ({
      body: { content: `The ${user} flies`, tags: [user], metadata: { [user]: user }, user },
      headers: { 'idempotency-key': `memory ${KEYS[user]}` },
    });
    expect((await caller.call('/v1/memories', request(CANARY))).status).toBe(410);
    expect((await caller.call('/v1/memories', request(STAYS))).headers.get('idempotency-replayed')).toBe('true');
  });

  test('leaves no word of it on the disk', async () => {
    caller = await newAccount(daemon);
    await caller.addAll(Array.from({ length: 450 }, (_, index) => ({ content: `stegosaurus ${index}`, user: 'steg' })));
    const talk = conversing(caller);
    const { id } = await talk.begin({ title: 'stegosaurus', user: 'steg' });
    await talk.say(
      id,
      ...Array.from({ length: 450 }, (_, index) => `stegosaurus number ${index} grazed in the valley`),
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
    caller = await newAccount(daemon);
    const talk = conversing(caller);
    const begin = async (index: number) => {
      const { id } = await talk.begin({ user: 'ada' });
      await talk.say(id, `The heron landed at pond ${index}.`);
      return id;
    };
    const ids = await Promise.all(Array.from({ length: 120 }, (_, index) => begin(index)));
    const [first] = (await talk.page(ids[7]!)).data;
    const span = { conversationId: ids[7], fromMessageId: first!.id, toMessageId: first!.id };
    const foreign = await talk.episode({ title: 'Overheard', user: 'bob', ...SPAN, ...span });
    expect((await erase('ada')).status).toBe(204);
    const left = { conversationId: null, fromMessageId: null, toMessageId: null };
    expect(await talk.readEpisode(foreign.id)).toMatchObject({ title: 'Overheard', user: 'bob', ...left });
    expect((await caller.call('/v1/conversations')).body).toEqual({ data: [], nextCursor: null });
    await expectIndexEqualsRows(join(daemon.folder, 'svc.db'));
  });

  test('lets a user of the same name begin anew', async () => {
    caller = await newAccount(daemon);
    await caller.add('The heron landed', { user: 'ada' });
    await caller.find('heron', { user: 'ada' });
    await erase('ada');
    await caller.add('The bittern landed', { user: 'ada' });
    expect(await caller.find('landed', { user: 'ada' })).toEqual(['The bittern landed']);
    expect((await caller.call('/v1/users/ada')).body).toMatchObject({ memories: 1 });
    await expectIndexEqualsRows(join(daemon.folder, 'svc.db'));
  });

  test('happens only if the user has not changed since it was read', async () => {
    caller = await newAccount(daemon);
    await caller.add('One', { user: 'ada' });
    const etag = (await caller.call('/v1/users/ada')).headers.get('etag')!;
    await caller.add('Two', { user: 'ada' });
    expect((await erase('ada', { 'if-match': etag })).status).toBe(412);
    expect((await caller.call('/v1/users/ada')).body).toMatchObject({ memories: 2 });
    const now = (await caller.call('/v1/users/ada')).headers.get('etag')!;
    expect((await erase('ada', { 'if-match': now })).status).toBe(204);
  });

  test('refuses what is created for the user meanwhile, so that no acknowledged item disappears', async () => {
    caller = await newAccount(daemon);
    await caller.addAll(Array.from({ length: 450 }, (_, index) => ({ content: `Heron ${index}`, user: 'ada' })));
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
    await expectIndexEqualsRows(join(daemon.folder, 'svc.db'));
  });
});

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

/** Tables with a column that names an end user. */
async function userTables(): Promise<string[]> {
  const rows = await daemon.db.readers.all<{ name: string }>(
    `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'endUser'
     WHERE m.type = 'table' ORDER BY m.name`,
  );
  return rows.map(({ name }) => name);
}

async function countRows(table: string, tenantId: string, endUser: string): Promise<number> {
  const row = await daemon.db.readers.get<{ rows: number }>(
    `SELECT COUNT(*) AS rows FROM "${table}" WHERE tenantId = ? AND endUser = ?`,
    [tenantId, endUser],
  );
  return row!.rows;
}

let inserted = 900_000;

async function insertRow(table: string, tenantId: string, endUser: string): Promise<void> {
  const columns = await daemon.db.readers.all<Column>(`SELECT * FROM pragma_table_info(?)`, [table]);
  const keyWidth = columns.filter(({ pk }) => pk > 0).length;
  const isRowId = ({ type, pk }: Column) => pk === 1 && keyWidth === 1 && /^integer$/i.test(type);
  const own: Record<string, Value> = { tenantId, endUser };
  const given = columns.filter(
    (column) =>
      column.name in own ||
      (column.name === 'number' && !isRowId(column)) ||
      ((column.notnull === 1 || column.pk > 0) && column.dflt_value === null && !isRowId(column)),
  );
  const sample = ({ name, type }: Column): Value => {
    // Old searches are deleted in the background.
    if (name === 'createdAt') return daemon.clock.nowMs();
    inserted += 1;
    if (/int/i.test(type)) return inserted;
    if (/blob/i.test(type)) return Buffer.alloc(8, 1);
    return /real|float|double/i.test(type) ? 0.5 : `sample ${inserted}`;
  };
  await daemon.db.writes.write('daemon', (connection) =>
    connection.run(
      `INSERT INTO "${table}" (${given.map(({ name }) => `"${name}"`).join(', ')})
       VALUES (${given.map(() => '?').join(', ')})`,
      given.map((column) => own[column.name] ?? sample(column)),
    ),
  );
}

test('erasing a user empties every table that names one, and leaves other users and accounts alone', async () => {
  const neighbor = await newAccount(daemon);
  const owners = [
    { tenantId: caller.tenantId, endUser: 'erased' },
    { tenantId: caller.tenantId, endUser: 'kept' },
    { tenantId: neighbor.tenantId, endUser: 'erased' },
  ] as const;
  const tables = await userTables();
  expect(tables.length).toBeGreaterThan(6);
  for (const { tenantId, endUser } of owners) for (const table of tables) await insertRow(table, tenantId, endUser);

  expect((await erase('erased')).status).toBe(204);

  const [erased, ...kept] = await Promise.all(
    owners.map(({ tenantId, endUser }) => Promise.all(tables.map((table) => countRows(table, tenantId, endUser)))),
  );
  expect(Object.fromEntries(tables.map((table, index) => [table, erased![index]]))).toEqual(
    Object.fromEntries(tables.map((table) => [table, 0])),
  );
  for (const counts of kept) expect(counts).toEqual(tables.map(() => 1));
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
  for (let tries = 0; tries < 500 && (await rowsOf('ada')).length > 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
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
