import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MemoryFile, MemoryFilePage, MemoryStore } from '../../../src/contract/memory-stores.ts';
import type { Answer } from '../../helpers/daemon.ts';
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

test('a path with the last character of Unicode is listed once, and is below its directory', async () => {
  const caller = await daemon.account();
  const { id } = (await caller.call<MemoryStore>('/v1/memory_stores', { body: { name: 'Notes' } })).body;
  const files = `/v1/memory_stores/${id}/memories`;
  const last = '\u{10ffff}';
  const paths = ['/a/!', '/a/b', `/a/${last}`, `/a/${last}${last}/c`, '/a!', '/a0', `/${last}`];
  for (const path of paths) {
    const made = await caller.call(files, { body: { path, content: 'tea' } });
    expect(made.status, made.text).toBe(200);
  }
  const list = async (query: string) => {
    const found: string[] = [];
    let page: string | null = '';
    while (page !== null && found.length < 20) {
      const next: Answer<MemoryFilePage> = await caller.call(`${files}?limit=1${query}${page && `&page=${page}`}`);
      found.push(...next.body.data.map(({ path }) => path));
      page = next.body.next_page;
    }
    return found;
  };
  expect((await list('')).toSorted()).toEqual(paths.toSorted());
  expect(await list('&depth=1')).toEqual(['/a!', '/a/', '/a0', `/${last}`]);
  expect(await list('&depth=1&path_prefix=/a/')).toEqual(['/a/!', '/a/b', `/a/${last}`, `/a/${last}${last}/`]);
  const above = await caller.call(files, { body: { path: `/a/${last}${last}`, content: 'tea' } });
  expect(above.status).toBe(409);
});
