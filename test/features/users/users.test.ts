import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { User } from '../../../src/contract/users.ts';
import { refuseWrites } from '../../helpers/broken-tables.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount, portable } from '../portability/portable-account.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await newAccount(daemon);
});
afterAll(() => daemon.close());

const read = (name: string, headers = {}) => caller.call<User>(`/v1/users/${encodeURIComponent(name)}`, { headers });

describe('an end user', () => {
  test('is shown with what is stored of it, and when it was first and last seen', async () => {
    const first = await caller.add('Ada drinks tea', { user: 'ada' });
    await caller.change(first.id, { content: 'Ada drinks green tea' });
    await caller.add('Ada drinks coffee', { user: 'ada', supersedes: first.id });
    await caller.add('Ada naps', { user: 'ada', expiresAt: instant(daemon.clock.nowMs() + 30_000) });
    await caller.add('Bob drinks milk', { user: 'bob' });
    const talk = conversing(caller);
    const { id } = await talk.begin({ user: 'ada' });
    await talk.episode({ title: 'Tea', user: 'ada', ...SPAN });
    daemon.clock.advance(60_000);
    await talk.say(id, 'One', 'Two', 'Three');
    const ada = {
      ...{ user: 'ada', memories: 1, conversations: 1, messages: 3, episodes: 1 },
      ...{ firstSeenAt: first.createdAt, lastSeenAt: (await talk.read(id)).updatedAt },
    };
    expect((await read('ada')).body).toEqual(ada);
    const { data } = (await caller.call<{ data: User[] }>('/v1/users')).body;
    expect(data.map(({ user }) => user)).toEqual(['bob', 'ada']);
    expect(data[1]).toEqual(ada);
  });

  test('stays listed when its last item was erased', async () => {
    const { id } = await caller.add('Ada drinks tea', { user: 'ada' });
    await caller.erase(id);
    expect((await read('ada')).body).toMatchObject({ memories: 0, firstSeenAt: null, lastSeenAt: null });
  });

  test('is listed if an import brought only what the ranking learned', async () => {
    await caller.addAll([{ content: 'Ada drinks tea', user: 'ada' }]);
    const { searchId, results } = (await caller.search('tea', { user: 'ada' })).body;
    const body = { used: [results[0]!.id] };
    expect((await caller.call(`/v1/searches/${searchId}/feedback`, { body })).status).toBe(202);
    const lines = (await portable(caller).text()).split('\n');
    caller = await newAccount(daemon);
    await portable(caller).importFile(
      `${[lines[0], ...lines.filter((line) => line.includes('"learned"'))].join('\n')}\n`,
    );
    expect((await read('ada')).body).toMatchObject({ user: 'ada', memories: 0 });
    expect((await caller.call('/v1/users/ada', { method: 'DELETE' })).status).toBe(204);
    expect((await caller.call('/v1/retrieval?user=ada')).body).toMatchObject({ events: 0 });
  });

  test('of which only searches are stored can be erased with them', async () => {
    const searches = async (user: string) =>
      (await caller.call<{ data: object[] }>(`/v1/searches?user=${user}`)).body.data;
    for (const user of ['eve', 'bob']) await caller.search('where does she hide', { user });
    expect(await searches('eve')).toHaveLength(1);
    const erase = async (headers = {}) => (await caller.call('/v1/users/eve', { method: 'DELETE', headers })).status;
    expect(await erase({ 'if-match': '"1"' })).toBe(404);
    expect(await erase()).toBe(204);
    expect(await searches('eve')).toEqual([]);
    expect(await searches('bob')).toHaveLength(1);
    expect(await erase()).toBe(404);
  });

  test('is not sent again to a caller that has its current state', async () => {
    await caller.add('Ada drinks tea', { user: 'ada' });
    const etag = (await read('ada')).headers.get('etag')!;
    expect((await read('ada', { 'if-none-match': etag })).status).toBe(304);
    await caller.add('Ada drinks coffee', { user: 'ada' });
    expect((await read('ada', { 'if-none-match': etag })).status).toBe(200);
  });

  test('is erased only as it was read: every edit of its items changes its tag, and none of other users does', async () => {
    const talk = conversing(caller);
    const { id } = await caller.add('Ada drinks tea', { user: 'ada' });
    const other = await caller.add('Bob drinks milk', { user: 'bob' });
    const begun = await talk.begin({ user: 'ada' });
    const episode = await talk.episode({ title: 'Tea', user: 'ada', ...SPAN });
    const tagOf = async () => (await read('ada')).headers.get('etag')!;
    const erase = async (etag: string) => {
      const { status } = await caller.call('/v1/users/ada', { method: 'DELETE', headers: { 'if-match': etag } });
      return status;
    };
    const edit = (path: string, body: object) => caller.call(`/v1/${path}`, { method: 'PATCH', body });
    for (const [path, body] of [
      [`memories/${id}`, { content: 'Ada drinks green tea' }],
      [`memories/${id}`, { pinned: true }],
      [`conversations/${begun.id}`, { title: 'Tea' }],
      [`episodes/${episode.id}`, { title: 'Green tea' }],
    ] as const) {
      const etag = await tagOf();
      daemon.clock.advance(1000);
      expect((await edit(path, body)).status, path).toBe(200);
      expect((await read('ada', { 'if-none-match': etag })).status, path).toBe(200);
      expect(await erase(etag), path).toBe(412);
    }
    const etag = await tagOf();
    daemon.clock.advance(1000);
    await edit(`memories/${other.id}`, { pinned: true });
    expect((await read('ada', { 'if-none-match': etag })).status).toBe(304);
    expect(await erase(etag)).toBe(204);
  });

  test('may have any name that items can have', async () => {
    for (const name of ['a/b', 'ümläut ☂', '100%', '👩‍👩‍👧', '界'.repeat(256), '🜁'.repeat(256)]) {
      await caller.add('Tea', { user: name });
      expect((await read(name)).body, name).toMatchObject({ user: name, memories: 1 });
    }
  });
});

describe('the list of users', () => {
  test('pages through all of them, latest first, while others are added', async () => {
    const names = Array.from({ length: 7 }, (_, index) => `user-${index}`);
    for (const user of names) await caller.add('Tea', { user });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/v1/users?limit=3${cursor && `&cursor=${cursor}`}`;
      const page: { data: User[]; nextCursor: string | null } = (await caller.call<typeof page>(path)).body;
      if (cursor === '') await caller.add('Tea', { user: 'late' });
      seen.push(...page.data.map(({ user }) => user));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(names.toReversed());
  });

  test.each(['limit=0', 'limit=201', 'cursor=x', 'user=ada'])('refuses %s', async (query) => {
    expect((await caller.call(`/v1/users?${query}`)).status).toBe(400);
  });
});

test('a user whose erasure fails each time does not hold up those behind it', async () => {
  for (const user of ['ada', 'bob', 'eve']) await caller.add('Someone drinks tea', { user });
  const listed = async () => {
    const { data } = (await caller.call<{ data: User[] }>('/v1/users')).body;
    return data.map(({ user }) => user).sort();
  };
  const hide = (erasedAt: number | null) =>
    daemon.db.writes.write('daemon', (connection) =>
      connection.run('UPDATE scopes SET erasedAt = ? WHERE tenantId = ?', [erasedAt, caller.tenantId]),
    );
  await hide(1);
  const when = `OLD."tenantId" = '${caller.tenantId}' AND OLD."endUser" IN ('ada', 'eve')`;
  const mend = await refuseWrites(daemon, { event: 'DELETE', table: 'scopes', when });
  await expect(daemon.users.finishErasing()).rejects.toThrow('refused');
  await hide(null);
  expect(await listed()).toEqual(['ada', 'eve']);
  await hide(1);
  await mend();
  await daemon.users.finishErasing();
  await hide(null);
  expect(await listed()).toEqual([]);
});
