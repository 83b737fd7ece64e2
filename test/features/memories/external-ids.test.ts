import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import { newAccount, portable, version } from '../portability/portable-account.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newAccount(daemon);
});

const at = (externalId: string, query = '') => `/v1/memories/external/${encodeURIComponent(externalId)}${query}`;
const put = (externalId: string, body: object, headers = {}) =>
  caller.call<Memory>(at(externalId), { method: 'PUT', body, headers });
const read = (externalId: string, query = '') => caller.call<Memory>(at(externalId, query));
const erase = (externalId: string, query = '', headers = {}) =>
  caller.call(at(externalId, query), { method: 'DELETE', headers });

describe('an external id', () => {
  test('is null by default, listed, and set or cleared by PATCH', async () => {
    expect((await caller.add('Bare')).externalId).toBeNull();
    const { id } = await caller.add('Named', { externalId: 'crm/7' });
    expect(await caller.list('?externalId=crm%2F7')).toEqual(['Named']);
    expect((await caller.change(id, { externalId: 'crm/8' })).body).toMatchObject({ externalId: 'crm/8', version: 2 });
    expect((await read('crm/7')).status).toBe(404);
    expect((await caller.change(id, { externalId: null })).body.externalId).toBeNull();
    expect((await read('crm/8')).status).toBe(404);
  });

  test.each([
    ['of 255 characters', 'e'.repeat(255), 201],
    ['of 256 characters', 'e'.repeat(256), 400],
    ['of 255 characters outside ASCII', '漢'.repeat(255), 201],
    ['that is empty', '', 400],
    ['with a NUL', 'a\0', 400],
  ])('%s answers %s', async (_, externalId, status) => {
    const answer = await caller.call('/v1/memories', { body: { content: 'Named', externalId } });
    expect(answer.status).toBe(status);
    if (status === 201) expect((await read(externalId)).body.content).toBe('Named');
  });

  test('that a memory of the user has is a conflict, which names that memory', async () => {
    const { id } = await caller.add('First', { externalId: 'x' });
    const second = await caller.call('/v1/memories', { body: { content: 'Second', externalId: 'x' } });
    expect(second).toMatchObject({ status: 409, body: { code: 'conflict', detail: expect.stringContaining(id) } });
    const batch = [{ content: 'Third' }, { content: 'Fourth', externalId: 'x' }];
    expect((await caller.call('/v1/memories/batch', { body: { memories: batch } })).status).toBe(409);
    const twice = ['a', 'b'].map((content) => ({ content, externalId: 'y' }));
    expect((await caller.call('/v1/memories/batch', { body: { memories: twice } })).status).toBe(409);
    const other = await caller.add('Other');
    expect((await caller.change(other.id, { externalId: 'x' })).status).toBe(409);
    expect(await caller.list()).toEqual(['Other', 'First']);
  });

  test('is taken by an earlier memory of the batch, even if that expires in the past', async () => {
    const expiresAt = '2020-01-01T00:00:00.000Z';
    const memories = ['a', 'b'].map((content) => ({ content, externalId: 'past', expiresAt }));
    const answer = await caller.call('/v1/memories/batch', { body: { memories } });
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
    const one = { body: memories[0]! };
    const both = await Promise.all([1, 2, 3, 4].map(() => caller.call('/v1/memories', one)));
    expect(both.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });

  test('of one user or tenant is free for another', async () => {
    await caller.add('Of the default user', { externalId: 'x' });
    await caller.add('Of Ada', { externalId: 'x', user: 'ada' });
    const stranger = await newAccount(daemon);
    await stranger.add('Of a stranger', { externalId: 'x' });
    expect((await read('x')).body.content).toBe('Of the default user');
    expect((await read('x', '?user=ada')).body.content).toBe('Of Ada');
    expect((await erase('x', '?user=ada')).status).toBe(204);
    expect((await stranger.call<Memory>(at('x'))).body.content).toBe('Of a stranger');
    expect((await read('x')).status).toBe(200);
  });

  test('given to 50 memories at once is stored once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        caller.call('/v1/memories', { body: { content: `Claim ${index}`, externalId: 'x' } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
  });

  test('passes to the memory that supersedes its holder', async () => {
    const old = await caller.add('Ada lives in Paris', { externalId: 'home' });
    const next = await caller.add('Ada lives in Rome', { externalId: 'home', supersedes: old.id });
    expect((await read('home')).body.id).toBe(next.id);
    expect((await caller.read(old.id)).body).toMatchObject({ externalId: 'home', supersededBy: next.id });
    await caller.add('Ada lives in Graz', { supersedes: next.id });
    expect((await read('home')).status).toBe(404);
    expect((await put('home', { content: 'Ada lives in Oslo' })).status).toBe(201);
  });

  test('of an expired memory is free, also before that one is swept', async () => {
    const expiresAt = instant(daemon.clock.nowMs() + 1000);
    await caller.add('Short-lived', { externalId: 'x', expiresAt });
    await caller.add('Short-lived too', { externalId: 'y', expiresAt });
    daemon.clock.advance(2000);
    expect((await read('x')).status).toBe(404);
    expect((await caller.add('Lasting', { externalId: 'x' })).externalId).toBe('x');
    expect((await put('y', { content: 'Lasting too' })).status).toBe(201);
  });

  test('is added by a duplicate to a memory without one, and another one is a conflict', async () => {
    const { id } = await caller.add('Oolong');
    expect(await caller.add('oolong', { externalId: 'x' })).toMatchObject({ id, duplicate: true, externalId: 'x' });
    expect(await caller.add('oolong', { externalId: 'x' })).toMatchObject({ id, duplicate: true, version: 2 });
    expect((await caller.call('/v1/memories', { body: { content: 'oolong', externalId: 'y' } })).status).toBe(409);
  });
});

describe('PUT', () => {
  test('creates, then replaces: absent fields get their defaults, in a new version', async () => {
    const created = await put('x', {
      content: 'First',
      tags: ['a'],
      metadata: { k: 1 },
      pinned: true,
      project: 'p',
      source: { messageId: 'msg_1' },
      occurredAt: '2020-01-01T00:00:00Z',
    });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`/v1/memories/${created.body.id}`);
    expect(created.body).toMatchObject({ externalId: 'x', user: 'default', version: 1, tags: ['a'] });
    const replaced = await put('x', { content: 'Second' });
    expect(replaced.status).toBe(200);
    expect(replaced.headers.get('location')).toBeNull();
    expect(replaced.body).toMatchObject({
      ...{ id: created.body.id, content: 'Second', externalId: 'x', version: 2, tags: [], metadata: {} },
      ...{ pinned: false, project: null, source: null, occurredAt: null },
    });
    expect((await caller.history(created.body.id)).body.data).toHaveLength(2);
    expect(await caller.find('second')).toEqual(['Second']);
    expect(await caller.list('?tag=a')).toEqual([]);
  });

  test('of what is stored already adds no version', async () => {
    const body = { content: 'Same', tags: ['a'], metadata: { k: [1] } };
    await put('x', body);
    expect(await put('x', body)).toMatchObject({ status: 200, body: { version: 1 } });
  });

  test('counts towards the quota only where it creates', async () => {
    const used = async () => {
      const { body } = await caller.call<{ quotas: { dailyMemories: { used: number } } }>('/v1/account');
      return body.quotas.dailyMemories.used;
    };
    await put('x', { content: 'One' });
    expect(await used()).toBe(1);
    await put('x', { content: 'Two' });
    expect(await used()).toBe(1);
  });

  test('takes over a memory with the same content, unless that one has another external id', async () => {
    const { id } = await caller.add('Oolong', { tags: ['old'] });
    expect(await put('x', { content: 'oolong' })).toMatchObject({
      status: 200,
      body: { id, externalId: 'x', tags: [] },
    });
    expect((await put('y', { content: 'oolong' })).status).toBe(409);
    await put('z', { content: 'Green tea' });
    expect((await put('z', { content: 'oolong' })).status).toBe(409);
    expect((await read('z')).body.content).toBe('Green tea');
  });

  test('honors If-Match, also before the memory exists', async () => {
    expect((await put('x', { content: 'One' }, { 'if-match': '*' })).status).toBe(412);
    const etag = (await put('x', { content: 'One' })).headers.get('etag')!;
    expect((await read('x')).headers.get('etag')).toBe(etag);
    const second = await put('x', { content: 'Two' }, { 'if-match': etag });
    expect(second.status).toBe(200);
    expect((await put('x', { content: 'Three' }, { 'if-match': etag })).status).toBe(412);
    expect((await erase('x', '', { 'if-match': etag })).status).toBe(412);
    expect((await read('x')).body.content).toBe('Two');
    expect((await erase('x', '', { 'if-match': second.headers.get('etag')! })).status).toBe(204);
    expect((await read('x')).status).toBe(404);
  });

  test('answers a conditional read with 304', async () => {
    const etag = (await put('x', { content: 'One' })).headers.get('etag')!;
    const answer = await caller.call(at('x'), { headers: { 'if-none-match': etag } });
    expect(answer.status).toBe(304);
  });

  test.each([
    ['another external id', { content: 'a', externalId: 'y' }, '/externalId'],
    ['supersedes', { content: 'a', supersedes: 'mem_1' }, '/supersedes'],
    ['no content', {}, '/content'],
    ['an unknown field', { content: 'a', colour: 1 }, '/colour'],
  ])('with %s is rejected', async (_, body, path) => {
    expect(await put('x', body)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect((await put('x', { content: 'a', externalId: 'x' })).status).toBe(201);
  });

  test('50 times at once loses no version', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => put('x', { content: `Take ${index}` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201]);
    const { id } = (await read('x')).body;
    expect((await caller.history(id)).body.data).toHaveLength(50);
  });
});

test('an export preserves external ids, and an import leaves out a memory whose external id is taken', async () => {
  await put('x', { content: 'Exported' });
  const text = await portable(caller).text();
  const other = await newAccount(daemon);
  expect((await portable(other).importFile(text)).added.memories).toBe(1);
  expect((await other.call<Memory>(at('x'))).body.content).toBe('Exported');
  const taken = [version({ content: 'Another', externalId: 'x' }), version({ content: 'Free', externalId: 'z' })];
  const report = await portable(other).importFile(taken);
  expect([report.added.memories, report.known.memories]).toEqual([1, 1]);
  const twice = [1, 2].map((index) => version({ content: `In one file ${index}`, externalId: 'w' }));
  expect((await portable(other).importFile(twice)).added.memories).toBe(1);
});
