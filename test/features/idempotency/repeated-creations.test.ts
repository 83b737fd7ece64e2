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

test('every POST that answers 201 accepts an Idempotency-Key, except those that sign in', async () => {
  const { paths } = (await daemon.call(undefined, '/v1/openapi.json')).body as {
    paths: Record<string, Record<string, { parameters?: { $ref?: string }[]; responses: object }>>;
  };
  const creating = Object.entries(paths).flatMap(([path, { post }]) =>
    post && ('201' in post.responses || `POST ${path}` in CREATIONS) ? [{ path, post }] : [],
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
