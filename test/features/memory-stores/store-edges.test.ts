import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MemoryFile, MemoryStore } from '../../../src/contract/memory-stores.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test.each(['a', '名', '😀'])(
  'a user whose name is 256 times %s has a store that every route knows',
  async (character) => {
    const caller = await daemon.account();
    const user = character.repeat(256);
    await caller.add('Ada drinks tea', { user });
    const [store] = (await caller.call<{ data: MemoryStore[] }>('/v1/memory_stores')).body.data;
    expect(store!.name).toBe(user);
    const at = `/v1/memory_stores/${store!.id}`;
    const made = await caller.call<MemoryFile>(`${at}/memories`, { body: { path: '/a', content: 'tea' } });
    expect(made.status, made.text).toBe(200);
    const changed = await caller.call(`${at}/memories/${made.body.id}`, { body: { content: 'milk' } });
    expect(changed.status, changed.text).toBe(200);
    const version = `${at}/memory_versions/${made.body.memory_version_id}`;
    for (const path of [at, `${at}/memories`, `${at}/memories/${made.body.id}`, `${at}/memory_versions`, version]) {
      expect((await caller.call(path)).status, path).toBe(200);
    }
    expect((await caller.call(`${version}/redact`, { method: 'POST' })).status).toBe(200);
    expect((await caller.call(`${at}/memories/${made.body.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await caller.call(at, { body: { description: 'Tastes' } })).status).toBe(200);
    expect((await caller.call(`${at}/archive`, { method: 'POST' })).status).toBe(200);
    expect((await caller.call(at, { method: 'DELETE' })).status).toBe(409);
  },
);
