import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MemoryFile, MemoryStore } from '../../src/contract/memory-stores.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { MEMORY_STORE_OPERATIONS } from './memory-store-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;
let owner: Caller;
let stranger: Caller;
let mine: { store: string; file: string; version: string };
let theirs: string;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await daemon.account();
  stranger = await daemon.account();
  const create = async (caller: Caller) =>
    (await caller.call<MemoryStore>('/v1/memory_stores', { body: { name: 'Notes' } })).body.id;
  const store = await create(owner);
  theirs = await create(stranger);
  const files = `/v1/memory_stores/${store}/memories`;
  const { body } = await owner.call<MemoryFile>(files, { body: { path: '/a', content: 'The basilisk' } });
  await owner.call(`${files}/${body.id}`, { body: { content: 'The basilisk sleeps' } });
  mine = { store, file: body.id, version: body.memory_version_id };
});
afterAll(() => daemon.close());

const NEVER = `memstore_${'0'.repeat(32)}`;

test('another tenant’s memory store is indistinguishable from a missing one by every route; its tenant succeeds', async () => {
  for (const [name, { method, path, body }] of Object.entries(MEMORY_STORE_OPERATIONS)) {
    const call = (caller: Caller, store: string) =>
      caller.call(`/v1/memory_stores/${store}${path(mine)}`, { method, body });
    const [foreign, missing] = [await call(stranger, mine.store), await call(stranger, NEVER)];
    expect(foreign.status, name).toBe(404);
    expect(visible(foreign, mine.store), name).toEqual(visible(missing, NEVER));
    if (path(mine).split('/').length > 2) expect((await call(stranger, theirs)).status, name).toBe(404);
    expect((await call(owner, mine.store)).status, name).toBe(200);
  }
});

test('stores, memories and versions are listed to their account only, and cursors count for it only', async () => {
  const create = { body: { name: 'Second' } };
  const { id } = (await owner.call<MemoryStore>('/v1/memory_stores', create)).body;
  const files = `/v1/memory_stores/${id}/memories`;
  const { body } = await owner.call<MemoryFile>(files, { body: { path: '/a', content: 'x' } });
  await owner.call(files, { body: { path: '/b', content: 'y' } });
  const stores = await stranger.call<{ data: MemoryStore[] }>('/v1/memory_stores');
  expect(stores.body.data.map((store) => store.id)).toEqual([theirs]);
  const versions = `/v1/memory_stores/${theirs}/memory_versions`;
  expect((await stranger.call(`${versions}?memory_id=${body.id}`)).body).toEqual({ data: [], next_page: null });
  for (const list of ['memories', 'memory_versions']) {
    const page = (await owner.call<{ next_page: string }>(`/v1/memory_stores/${id}/${list}?limit=1`)).body.next_page;
    expect((await owner.call(`/v1/memory_stores/${id}/${list}?limit=1&page=${page}`)).status).toBe(200);
    expect((await stranger.call(`/v1/memory_stores/${theirs}/${list}?limit=1&page=${page}`)).status).toBe(400);
  }
});
