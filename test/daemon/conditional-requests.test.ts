import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Topic } from '../../src/contract/topics.ts';
import { converse, extractAndWait, KEY, newOwner, say } from '../features/extraction/extraction-daemon.ts';
import { times } from '../features/limits/tenants.ts';
import type { Caller, MemoryDaemon } from '../features/memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../features/providers/provider-daemon.ts';
import type { ProviderServer } from '../helpers/providers/server.ts';

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  daemon.clock.freeze();
  server = await startProviderServer('openai', { key: KEY });
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});
beforeEach(async () => {
  caller = await newOwner(daemon, server, 'Ada drinks tea.');
});
afterEach(() => server.reset());

interface Resource {
  /** Creates one and returns its path. */
  make(): Promise<string>;
  /** Changes it, so that the tag read before is stale. */
  alter(path: string): Promise<unknown>;
  /** The conditional requests that it takes, and the status of a success. */
  changes: readonly (readonly [method: string, body: object | undefined, status: number])[];
}

const created = async (collection: string, body: object) =>
  `${collection}/${(await caller.call(collection, { body })).body.id}`;
const patch = (path: string, body: object) => caller.call(path, { method: 'PATCH', body });
const update = (sql: string, path: string) =>
  daemon.db.writes.write('daemon', (connection) => connection.run(`${sql} WHERE id = ?`, [path.split('/').at(-1)!]));
const DELETE = ['DELETE', undefined, 204] as const;
const SPAN = { startedAt: '2026-03-04T08:00:00Z', endedAt: '2026-03-04T09:00:00Z' };

const RESOURCES: Record<string, Resource> = {
  memory: {
    make: () => created('/v1/memories', { content: 'oolong' }),
    alter: (path) => patch(path, { tags: ['tea'] }),
    changes: [['PATCH', { tags: ['x'] }, 200], DELETE],
  },
  conversation: {
    make: () => created('/v1/conversations', { title: 'Breakfast' }),
    alter: (path) => patch(path, { title: 'Lunch' }),
    changes: [['PATCH', { title: 'x' }, 200], DELETE],
  },
  episode: {
    make: () => created('/v1/episodes', { title: 'Breakfast', ...SPAN }),
    alter: (path) => patch(path, { title: 'Lunch' }),
    changes: [['PATCH', { title: 'x' }, 200], DELETE],
  },
  message: {
    async make() {
      const conversation = await converse(caller, ['Good morning']);
      const [id] = await say(caller, conversation, ['I drink tea']);
      return `/v1/conversations/${conversation}/messages/${id}`;
    },
    alter: (path) => update(`UPDATE messages SET metadata = '{"altered":true}'`, path),
    changes: [DELETE],
  },
  job: {
    make: async () => `/v1/jobs/${(await extractAndWait(caller, await converse(caller, ['I drink tea']))).id}`,
    alter: (path) => update('UPDATE jobs SET done = done + 1', path),
    changes: [DELETE],
  },
  'provider key': {
    make: async () => '/v1/provider-keys/openai',
    alter: () => putKey(caller, server, KEY, { models: ['gpt-4o'] }),
    changes: [['PUT', { key: KEY }, 200], DELETE],
  },
  'provider settings': {
    make: async () => '/v1/provider-settings',
    alter: (path) => patch(path, { extraction: { dailyTokens: 5000 } }),
    changes: [['PATCH', { extraction: { onAppend: true } }, 200]],
  },
  webhook: {
    make: () => created('/v1/webhooks', { url: 'https://hooks.example.com', events: ['feedback'] }),
    alter: (path) => patch(path, { active: false }),
    changes: [['PATCH', { active: true }, 200], DELETE],
  },
  space: {
    make: () => created('/v1/spaces', { name: 'team' }),
    alter: (path) => patch(path, { name: 'family' }),
    changes: [['PATCH', { name: 'class' }, 200], DELETE],
  },
  'suggestion settings': {
    make: async () => '/v1/suggestion-settings',
    alter: (path) => patch(path, { split: { mode: 'off' } }),
    changes: [['PATCH', { merge: { mode: 'off' } }, 200]],
  },
  ranking: {
    make: async () => '/v1/retrieval',
    alter: (path) => patch(path, { usesWords: false }),
    changes: [['PATCH', { infersUses: false }, 200], DELETE],
  },
  account: {
    make: async () => '/v1/account',
    alter: async () => {
      const { tenantId } = (await caller.call('/v1/account')).body;
      await daemon.accounts.setTier(tenantId as string, 'Pro');
    },
    changes: [DELETE],
  },
};

const etagOf = async (path: string) => (await caller.call(path)).headers.get('etag')!;

describe.each(Object.entries(RESOURCES))('%s', (name, { make, alter, changes }) => {
  test('carries an ETag, and answers 304 to If-None-Match until it changes', async () => {
    const path = await make();
    const etag = await etagOf(path);
    expect(etag).toMatch(/^"[\w.-]+"$/);
    for (const method of ['GET', 'HEAD']) {
      const answer = await caller.call(path, { method, headers: { 'if-none-match': `"x", W/${etag}` } });
      expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([304, '', null]);
      expect(answer.headers.get('etag')).toBe(etag);
    }
    await alter(path);
    const changed = await caller.call(path, { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test.each(changes)('refuses a stale %s and carries out a current one', async (method, given, status) => {
    const path = await make();
    const body = name === 'provider key' && given ? { ...given, baseUrl: server.baseUrl } : given;
    const send = (etag: string) => caller.call(path, { method, body, headers: { 'if-match': etag } });
    const stale = await etagOf(path);
    await alter(path);
    const before = await caller.call(path);
    for (const wrong of [stale, '"x"', `W/${before.headers.get('etag')}`]) {
      const refused = await send(wrong);
      expect([refused.status, refused.body.code], wrong).toEqual([412, 'precondition_failed']);
    }
    expect((await caller.call(path)).body).toEqual(before.body);
    const answer = await send(before.headers.get('etag')!);
    expect(answer.status, answer.text).toBe(status);
    if (method !== 'DELETE') expect(answer.headers.get('etag')).toBe(await etagOf(path));
  });
});

test.each([
  ['/v1/webhooks', { url: 'https://hooks.example.com' }],
  ['/v1/spaces', { name: 'team' }],
])('the answer to a POST to %s has the ETag of what it created', async (path, body) => {
  const answer = await caller.call(path, { body });
  expect(answer.status).toBe(201);
  expect(answer.headers.get('etag')).toMatch(/^"/);
  expect(answer.headers.get('etag')).toBe(await etagOf(answer.headers.get('location')!));
});

test('of ten changes of the settings with the same ETag, one is carried out', async () => {
  const headers = { 'if-match': await etagOf('/v1/provider-settings') };
  const answers = await times(10, (index) =>
    caller.call('/v1/provider-settings', {
      method: 'PATCH',
      body: { extraction: { dailyTokens: 1000 + index } },
      headers,
    }),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
});

test('usage counted in the meantime changes the ETag of settings and account, but fails no conditional change', async () => {
  const settings = await etagOf('/v1/provider-settings');
  const account = await etagOf('/v1/account');
  await extractAndWait(caller, await converse(caller, ['I drink tea']));
  expect(await etagOf('/v1/provider-settings')).not.toBe(settings);
  expect(await etagOf('/v1/account')).not.toBe(account);
  const body = { extraction: { onAppend: true } };
  const changed = await caller.call('/v1/provider-settings', {
    method: 'PATCH',
    body,
    headers: { 'if-match': settings },
  });
  expect(changed.status).toBe(200);
  const erased = await caller.call('/v1/account', { method: 'DELETE', headers: { 'if-match': account } });
  expect(erased.status).toBe(204);
});

test('a topic answers 304 until what it shows changes, which fails no conditional change', async () => {
  const [memory] = await caller.addAll(['Likes tea', 'Likes coffee'].map((content) => ({ content, tags: ['heron'] })));
  while (await daemon.comparing.follow());
  const [topic] = (await caller.call<{ data: Topic[] }>('/v1/topics')).body.data;
  const path = `/v1/topics/${topic!.id}`;
  const etag = await etagOf(path);
  const unlessSame = { 'if-none-match': etag };
  for (const method of ['GET', 'HEAD'])
    expect((await caller.call(path, { method, headers: unlessSame })).status).toBe(304);
  await caller.change(memory!.id, { pinned: true });
  expect((await caller.call(path, { headers: unlessSame })).status).toBe(200);
  const rename = (name: string) =>
    caller.call(path, { method: 'PATCH', body: { name }, headers: { 'if-match': etag } });
  expect((await rename('Grey heron')).status).toBe(200);
  expect((await rename('Night heron')).status).toBe(412);
});

test('If-Match of what the ranking learned fits every view of a user, and of that user alone', async () => {
  await caller.add('Ada rows', { user: 'ada' });
  const detailed = await etagOf('/v1/retrieval?user=ada&days=7&weights=all');
  const headers = { 'if-match': detailed };
  const change = (body: object) => caller.call('/v1/retrieval', { method: 'PATCH', body, headers });
  expect((await change({ usesWords: false })).status).toBe(412);
  expect((await change({ user: 'ada', usesWords: false })).status).toBe(200);
  const reset = await caller.call('/v1/retrieval?user=ada', { method: 'DELETE', headers });
  expect([reset.status, reset.body.code]).toEqual([412, 'precondition_failed']);
});

test('If-Match with * accepts any existing resource, and refuses to create a provider key', async () => {
  const any = { 'if-match': '*' };
  const path = '/v1/provider-keys/openai';
  expect((await caller.call(path, { method: 'DELETE', headers: any })).status).toBe(204);
  const put = await caller.call(path, {
    method: 'PUT',
    body: { key: KEY, baseUrl: server.baseUrl },
    headers: any,
  });
  expect([put.status, put.body.code]).toEqual([412, 'precondition_failed']);
  expect((await caller.call(path)).status).toBe(404);
});
