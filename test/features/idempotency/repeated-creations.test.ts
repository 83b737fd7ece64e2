import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MemoryStore } from '../../../src/contract/memory-stores.ts';
import type { Topic } from '../../../src/contract/topics.ts';
import { traces } from '../../helpers/tables.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { startProviderDaemon } from '../providers/provider-daemon.ts';
import { newPerson, newSpace } from '../spaces/space-callers.ts';
import { newSuggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startProviderDaemon();
});
afterAll(() => daemon.close());

const STORE = { name: 'Notes' };
/** Its address need not answer: nothing is sent before something changes. */
const WEBHOOK = { url: 'http://127.0.0.1:9/hook' };

async function newStore(caller: Caller): Promise<string> {
  return (await caller.call<MemoryStore>('/v1/memory_stores', { body: STORE })).body.id;
}

/** Returns two names of one topic, and the topic. */
async function newMergedTopic(caller: Awaited<ReturnType<typeof newSuggesting>>): Promise<string> {
  for (const content of ['Ada Byron plays', 'Ada Byron left', 'Grace Hopper sails', 'Grace Hopper won']) {
    await caller.add(content);
    await caller.compared();
  }
  const { data } = (await caller.call<{ data: Topic[] }>('/v1/topics')).body;
  const [ada, grace] = ['Ada Byron', 'Grace Hopper'].map((one) => data.find(({ name }) => name === one)!.id);
  const merged = await caller.call(`/v1/topics/${ada}/merge`, { body: { topicIds: [grace!] } });
  expect(merged.status, merged.text).toBe(200);
  return ada!;
}

interface Creation {
  path: string;
  body: object;
  /** Another request of this operation. */
  other: object;
  /** Lists what such a request creates; as many are there after one request as after two. */
  list: string;
}

const CREATIONS: Record<string, (caller: Awaited<ReturnType<typeof newSuggesting>>) => Promise<Creation>> = {
  'POST /v1/memory_stores': async () => ({
    path: '/v1/memory_stores',
    body: STORE,
    other: { name: 'Else' },
    list: '/v1/memory_stores',
  }),
  async 'POST /v1/memory_stores/{memory_store_id}/memories'(caller) {
    const path = `/v1/memory_stores/${await newStore(caller)}/memories`;
    const body = { path: '/a', content: 'tea' };
    return { path, body, other: { ...body, path: '/b' }, list: path };
  },
  async 'POST /v1/topics/{id}/split'(caller) {
    const path = `/v1/topics/${await newMergedTopic(caller)}/split`;
    return { path, body: { aliases: ['Grace Hopper'] }, other: { aliases: ['Ada Byron'] }, list: '/v1/topics' };
  },
  'POST /v1/spaces': async () => ({
    path: '/v1/spaces',
    body: { name: 'team' },
    other: { name: 'crew' },
    list: '/v1/spaces',
  }),
  async 'POST /v1/spaces/{id}/members'(caller) {
    const path = `/v1/spaces/${(await newSpace(caller)).id}/members`;
    const body = { email: 'lin@example.com', role: 'writer' };
    return { path, body, other: { ...body, role: 'reader' }, list: path };
  },
  async 'POST /v1/spaces/{id}/copies'(caller) {
    const { id } = await newSpace(caller);
    const { id: memoryId } = await caller.add('The heron nests in May');
    const at = `/v1/spaces/${id}`;
    return {
      path: `${at}/copies`,
      body: { memoryIds: [memoryId] },
      other: { memoryIds: ['mem_0'] },
      list: `${at}/log`,
    };
  },
  'POST /v1/webhooks': async () => ({
    path: '/v1/webhooks',
    body: WEBHOOK,
    other: { ...WEBHOOK, user: 'ada' },
    list: '/v1/webhooks',
  }),
};

describe.each(Object.keys(CREATIONS))('%s', (operation) => {
  test('sent again with the same Idempotency-Key answers as before and creates nothing', async () => {
    const caller = await newSuggesting(daemon);
    const { path, body, other, list } = await CREATIONS[operation]!(caller);
    const headers = { 'idempotency-key': 'once' };
    const made = await caller.call(path, { body, headers });
    expect(made.status, made.text).toBe(path.startsWith('/v1/memory_stores') ? 200 : 201);
    expect(made.headers.get('idempotency-replayed')).toBeNull();
    const listed = await caller.call<{ data: unknown[] }>(list);
    const again = await caller.call(path, { body, headers });
    expect(again).toMatchObject({ status: made.status, body: made.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(made.headers.get('location'));
    expect((await caller.call(list)).body).toEqual(listed.body);
    expect((await caller.call(path, { body: other, headers })).status).toBe(422);
  });
});

interface Decision {
  path: string;
  body?: object;
  /** What must be as it was, though the request is sent again. */
  list: string;
}

/** Returns a suggestion that can be accepted. */
async function newSuggestion(caller: Awaited<ReturnType<typeof newSuggesting>>): Promise<string> {
  const memories = await caller.addAll([{ content: 'Tea at four' }, { content: 'Tea is at four' }]);
  return (await caller.suggest({ memoryIds: memories.map(({ id }) => id) })).id;
}

const DECISIONS: Record<string, (caller: Awaited<ReturnType<typeof newSuggesting>>) => Promise<Decision>> = {
  'POST /v1/suggestions/{id}/accept': async (caller) => ({
    path: `/v1/suggestions/${await newSuggestion(caller)}/accept`,
    list: '/v1/memories?includeSuperseded=true',
  }),
  'POST /v1/suggestions/{id}/reject': async (caller) => ({
    path: `/v1/suggestions/${await newSuggestion(caller)}/reject`,
    list: '/v1/suggestions',
  }),
  async 'POST /v1/suggestions/{id}/undo'(caller) {
    const id = await newSuggestion(caller);
    await caller.decide(id, 'accept');
    return { path: `/v1/suggestions/${id}/undo`, list: '/v1/memories?includeSuperseded=true' };
  },
  async 'POST /v1/suggestions/decide'(caller) {
    const decisions = [
      { id: await newSuggestion(caller), decision: 'accept' },
      { id: 'sug_0', decision: 'accept' },
    ];
    return { path: '/v1/suggestions/decide', body: { decisions }, list: '/v1/memories?includeSuperseded=true' };
  },
  async 'POST /v1/topics/{id}/merge'(caller) {
    const id = await newMergedTopic(caller);
    const split = await caller.call<Topic>(`/v1/topics/${id}/split`, { body: { aliases: ['Grace Hopper'] } });
    return { path: `/v1/topics/${id}/merge`, body: { topicIds: [split.body.id] }, list: '/v1/topics' };
  },
};

describe.each(Object.keys(DECISIONS))('%s', (operation) => {
  test('sent again with the same Idempotency-Key answers as before and decides nothing', async () => {
    const caller = await newSuggesting(daemon);
    const { path, body, list } = await DECISIONS[operation]!(caller);
    const read = (await caller.call(path.replace(/\/\w+$/, ''))).headers.get('etag');
    const headers = { 'idempotency-key': 'once', ...(path.startsWith('/v1/suggestions/sug') && { 'if-match': read! }) };
    const decide = (more = {}) => caller.call(path, { method: 'POST', body, headers, ...more });
    const made = await decide();
    expect(made.status, made.text).toBe(200);
    expect(made.headers.get('idempotency-replayed')).toBeNull();
    const listed = await caller.call(list);
    const again = await decide();
    expect(again).toMatchObject({ status: 200, body: made.body });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('etag')).toBe(made.headers.get('etag'));
    expect((await caller.call(list)).body).toEqual(listed.body);
    expect((await caller.call('/v1/memories', { body: { content: 'Else' }, headers })).status).toBe(422);
  });
});

test('a decision that is sent again answers with the suggestion as it is now, and nothing of it once it is erased', async () => {
  const caller = await newSuggesting(daemon);
  const content = 'The quagga grazes at dusk';
  const { id } = await caller.suggest({ kind: 'add', content });
  const headers = { 'idempotency-key': 'once' };
  const accepted = await caller.decide(id, 'accept', { headers });
  expect(accepted).toMatchObject({ state: 'accepted', content });
  await caller.decide(id, 'undo');
  expect(await caller.decide(id, 'accept', { headers })).toMatchObject({ state: 'open' });
  await caller.decide(id, 'accept', { headers: { 'idempotency-key': 'twice' } });
  const { body } = await caller.call<{ data: { id: string }[] }>('/v1/memories');
  for (const memory of body.data) expect((await caller.erase(memory.id)).status).toBe(204);
  const again = await caller.call(`/v1/suggestions/${id}/accept`, { method: 'POST', headers });
  expect([again.status, again.text.includes('quagga')]).toEqual([410, false]);
  expect(await traces(daemon.db.readers, [content])).toEqual({});
});

test('every POST that answers 201 or decides accepts an Idempotency-Key, except those that sign in', async () => {
  const { paths } = (await daemon.call(undefined, '/v1/openapi.json')).body as {
    paths: Record<string, Record<string, { parameters?: { $ref?: string }[]; responses: object }>>;
  };
  const creating = Object.entries(paths).flatMap(([path, { post }]) =>
    post && ('201' in post.responses || `POST ${path}` in { ...CREATIONS, ...DECISIONS }) ? [{ path, post }] : [],
  );
  const without = creating.filter(
    ({ post }) => !post.parameters?.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
  );
  expect(without.map(({ path }) => path).toSorted()).toEqual(['/v1/auth/device', '/v1/session', '/v1/session/ticket']);
});

test('what an Idempotency-Key created and was erased is gone, with its name and secret', async () => {
  const caller = await newPerson(daemon);
  const once = (key: string) => ({ headers: { 'idempotency-key': key } });
  const add = (key: string, path: string, body: object) =>
    caller.call<{ id: string; secret?: string }>(path, { body, ...once(key) });
  const named = { name: 'pachycephalosaurus' };
  const store = await add('store', '/v1/memory_stores', named);
  const space = await add('space', '/v1/spaces', named);
  const webhook = await add('webhook', '/v1/webhooks', WEBHOOK);
  expect(await traces(daemon.db.readers, [webhook.body.secret!])).toEqual({});
  for (const [path, { body }] of Object.entries({ memory_stores: store, spaces: space, webhooks: webhook })) {
    const { status } = await caller.call(`/v1/${path}/${body.id}`, { method: 'DELETE' });
    expect(status, path).toBeLessThan(300);
  }
  expect((await add('store', '/v1/memory_stores', named)).status).toBe(410);
  expect((await add('space', '/v1/spaces', named)).status).toBe(410);
  expect((await add('webhook', '/v1/webhooks', WEBHOOK)).status).toBe(410);
  expect(await traces(daemon.db.readers, ['pachycephalosaurus'])).toEqual({});
});
