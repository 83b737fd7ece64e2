import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Conversation } from '../../../src/contract/conversations.ts';
import { refuseWrites } from '../../helpers/broken-tables.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { conversing } from './conversation-caller.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let talk: ReturnType<typeof conversing>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
  talk = conversing(caller);
});
afterAll(() => daemon.close());

const at = (id: string) => `/v1/conversations/${id}`;

describe('a conversation', () => {
  test('is stored as created and readable at its URL', async () => {
    const body = { title: 'Trip', user: 'ann', metadata: { a: [1, null] }, createdAt: '2020-05-01T00:00:00+02:00' };
    const answer = await caller.call<Conversation>('/v1/conversations', { body });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...body,
      id: expect.stringMatching(/^conv_[0-9a-f]{32}$/),
      createdAt: '2020-04-30T22:00:00.000Z',
      updatedAt: answer.body.updatedAt,
      messageCount: 0,
      lastMessageAt: null,
      project: null,
      preview: null,
      version: 1,
    });
    const read = await caller.call(answer.headers.get('location')!);
    expect([read.body, read.headers.get('etag')]).toEqual([answer.body, answer.headers.get('etag')]);
    expect(await talk.begin()).toMatchObject({ title: null, user: 'default', metadata: {} });
  });

  test('is not sent again to a caller that has the current version', async () => {
    const { id } = await talk.begin();
    const etag = (await caller.call(at(id))).headers.get('etag')!;
    const again = () => caller.call(at(id), { headers: { 'if-none-match': etag } });
    expect(await again()).toMatchObject({ status: 304, text: '' });
    await talk.say(id, 'hello');
    expect((await again()).status).toBe(200);
  });

  test('changes its title and metadata only if it is unchanged since it was read', async () => {
    const { id } = await talk.begin({ title: 'Old', metadata: { a: 1 } });
    const etag = (await caller.call(at(id))).headers.get('etag')!;
    const change = (body: object, ifMatch: string) =>
      caller.call<Conversation>(at(id), { method: 'PATCH', body, headers: { 'if-match': ifMatch } });
    const changed = await change({ title: null }, etag);
    expect(changed.body).toMatchObject({ title: null, metadata: { a: 1 }, version: 2 });
    expect(await change({ title: 'Late' }, etag)).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
    const now = changed.headers.get('etag')!;
    expect((await change({ metadata: {} }, now)).body).toMatchObject({ title: null, metadata: {}, version: 3 });
    expect((await change({ metadata: {} }, '*')).body.version).toBe(3);
  });

  test('is erased only if it is unchanged since it was read', async () => {
    const { id } = await talk.begin();
    const etag = (await caller.call(at(id))).headers.get('etag')!;
    await talk.say(id, 'one more word');
    const erase = (ifMatch: string) => caller.call(at(id), { method: 'DELETE', headers: { 'if-match': ifMatch } });
    expect((await erase(etag)).status).toBe(412);
    expect((await erase((await caller.call(at(id))).headers.get('etag')!)).status).toBe(204);
    expect((await caller.call(at(id))).status).toBe(404);
  });

  test.each<[string, object, string]>([
    ['a blank title', { title: ' ' }, '/title'],
    ['a day that is none', { createdAt: '2026-02-30T00:00:00Z' }, '/createdAt'],
    ['metadata of 17 KiB', { metadata: { a: 'x'.repeat(17_000) } }, '/metadata'],
    ['a line break in the user', { user: 'a\nb' }, '/user'],
  ])('with %s is refused', async (_, body, path) => {
    const answer = await caller.call('/v1/conversations', { body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect((await caller.call<{ data: [] }>('/v1/conversations')).body.data).toEqual([]);
  });

  test('is created once per idempotency key', async () => {
    const begin = (title: string) =>
      caller.call('/v1/conversations', { body: { title }, headers: { 'idempotency-key': 'k' } });
    const [first, again, other] = [await begin('One'), await begin('One'), await begin('Two')];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(other).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    expect((await caller.call<{ data: [] }>('/v1/conversations')).body.data).toHaveLength(1);
  });
});

describe('the list of conversations', () => {
  const list = async (query: string) =>
    (await caller.call<{ data: Conversation[]; nextCursor: string | null }>(`/v1/conversations${query}`)).body;

  test('pages through all of them, newest first, with a cursor bound to its filter', async () => {
    for (const title of ['1', '2', '3', '4', '5']) await talk.begin({ title });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data.map(({ title }) => title!));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1']);
    const { nextCursor } = await list('?limit=2');
    expect((await caller.call(`/v1/conversations?user=ann&cursor=${nextCursor}`)).status).toBe(400);
  });

  test('filters by user and by the time that a conversation spans', async () => {
    const { id } = await talk.begin({ title: 'old', user: 'ann', createdAt: '2020-01-01T00:00:00Z' });
    await talk.begin({ title: 'new' });
    const titles = async (query: string) => (await list(query)).data.map(({ title }) => title);
    expect(await titles('?user=ann')).toEqual(['old']);
    expect(await titles('?before=2021-01-01T00:00:00Z')).toEqual(['old']);
    expect(await titles('?after=2021-01-01T00:00:00Z')).toEqual(['new']);
    await talk.say(id, 'taken up again');
    expect(await titles('?after=2021-01-01T00:00:00Z')).toEqual(['new', 'old']);
  });

  test('has how the first message of a user begins, and follows when that changes', async () => {
    const opening = `  I want to visit\n\nLisbon ${'and the river '.repeat(20)}`;
    const { id } = await talk.begin();
    const preview = async () => (await list('')).data[0]!.preview;
    expect(await preview()).toBeNull();
    await talk.append(id, [
      { role: 'system', content: 'You are a travel agent.' },
      { role: 'user', content: opening },
      { role: 'user', content: 'By train.' },
    ]);
    const shown = (await preview())!;
    expect(shown).toMatch(/^I want to visit Lisbon and the river .*[a-z]…$/);
    expect(shown.length).toBeLessThanOrEqual(121);
    expect((await talk.read(id)).preview).toBe(shown);
    const { data } = await talk.page(id, '?order=oldest');
    await talk.erase(`conversations/${id}/messages/${data[1]!.id}`);
    expect(await preview()).toBe('By train.');
    const renamed = await caller.call<Conversation>(`/v1/conversations/${id}`, {
      method: 'PATCH',
      body: { title: 'T' },
    });
    expect(renamed.body.preview).toBe('By train.');
  });

  test('looks for a user among the first 20 messages', async () => {
    for (const before of [19, 20]) {
      const { id } = await talk.begin({ title: String(before) });
      const answers = Array.from({ length: before }, (_, index) => ({ role: 'assistant', content: `Answer ${index}` }));
      await talk.append(id, [...answers, { role: 'user', content: 'At last' }]);
    }
    expect((await list('')).data.map(({ preview }) => preview)).toEqual([null, 'At last']);
  });
});

test('a conversation whose erasure fails each time does not hold up those behind it', async () => {
  const ids: string[] = [];
  for (const title of ['One', 'Two', 'Three']) ids.push((await talk.begin({ title })).id);
  await daemon.db.writes.write('daemon', (connection) =>
    connection.run('UPDATE conversations SET erasedAt = 1 WHERE tenantId = ?', [caller.tenantId]),
  );
  const left = async () => {
    const rows = await daemon.db.readers
      .of(caller.tenantId)
      .all<{ id: string }>('SELECT id FROM conversations WHERE tenantId = ?', [caller.tenantId]);
    return rows.map(({ id }) => id).sort();
  };
  const when = `OLD.id IN ('${ids[0]}', '${ids[2]}')`;
  const mend = await refuseWrites(daemon, { event: 'DELETE', table: 'conversations', when });
  await expect(daemon.conversations.sweep()).rejects.toThrow('refused');
  expect(await left()).toEqual([ids[0], ids[2]].sort());
  await mend();
  await daemon.conversations.sweep();
  expect(await left()).toEqual([]);
});
