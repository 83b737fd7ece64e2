import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../src/contract/conversations.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { conversing } from './conversation-caller.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let talk: ReturnType<typeof conversing>;
let id: string;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
  talk = conversing(caller);
  id = (await talk.begin()).id;
});
afterAll(() => daemon.close());

const messagesAt = () => `/v1/conversations/${id}/messages`;
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ role: 'user', content: `number ${from + index}` }));

describe('appended messages', () => {
  test('are stored as sent, each with its ordinal', async () => {
    const sent = [
      { role: 'system', content: ' Be brief\n' },
      { role: 'user', content: 'Hi', name: 'Ann', createdAt: '2020-01-01T00:00:00.000Z', metadata: { a: 1 } },
      { role: 'tool', content: '{}', name: 'clock' },
    ];
    const appended = await talk.append(id, sent);
    expect(appended).toMatchObject(sent.map((message, index) => ({ ...message, ordinal: index + 1 })));
    expect((await talk.page(id, '?order=oldest')).data).toEqual(appended);
    expect((await caller.call(`${messagesAt()}/${appended[1]!.id}`)).body).toEqual(appended[1]);
    const { lastMessageAt, messageCount } = await talk.read(id);
    expect([messageCount, lastMessageAt]).toEqual([3, appended[2]!.createdAt]);
  });

  test.each([1, 500])('can be %i at once', async (count) => {
    expect(await talk.append(id, numbered(count))).toHaveLength(count);
    expect(await talk.read(id)).toMatchObject({ messageCount: count });
  });

  test.each<[string, object[], string]>([
    ['none', [], '/messages'],
    ['501', numbered(501), '/messages'],
    [
      'one of an unknown role',
      [
        { role: 'user', content: 'a' },
        { role: 'robot', content: 'b' },
      ],
      '/messages/1/role',
    ],
    ['one that says nothing', [{ role: 'user', content: ' ' }], '/messages/0/content'],
    ['an unknown field', [{ role: 'user', content: 'a', tags: [] }], '/messages/0/tags'],
    ['a time that is none', [{ role: 'user', content: 'a', createdAt: 'now' }], '/messages/0/createdAt'],
  ])('of %s are refused whole', async (_, messages, path) => {
    const answer = await caller.call(messagesAt(), { body: { messages } });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
    expect(await talk.read(id)).toMatchObject({ messageCount: 0, version: 1 });
  });

  test('of two concurrent clients keep the order of each client, and no ordinal is assigned twice', async () => {
    const client = async (name: string) => {
      for (let batch = 0; batch < 10; batch += 1) {
        await talk.append(
          id,
          numbered(5, batch * 5).map((message) => ({ ...message, name })),
        );
      }
    };
    await Promise.all(['ann', 'bob'].map(client));
    const { data } = await talk.page(id, '?order=oldest&limit=200');
    expect(data.map(({ ordinal }) => ordinal)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    const inOrder = numbered(50).map(({ content }) => content);
    for (const name of ['ann', 'bob']) {
      expect(data.filter((message) => message.name === name).map(({ content }) => content)).toEqual(inOrder);
    }
  });

  test('are stored exactly once per idempotency key, even when sent concurrently', async () => {
    const headers = { 'idempotency-key': 'once' };
    const append = () => caller.call(messagesAt(), { body: { messages: numbered(3) }, headers });
    const statuses = (await Promise.all([append(), append(), append()])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    const again = await append();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await talk.page(id, '?order=oldest')).data).toEqual(again.body.data);
    const other = await talk.begin();
    const elsewhere = { body: { messages: numbered(3) }, headers };
    expect((await caller.call(`/v1/conversations/${other.id}/messages`, elsewhere)).status).toBe(422);
    expect(await talk.read(other.id)).toMatchObject({ messageCount: 0 });
  });

  test('do not count as memories', async () => {
    await talk.append(id, numbered(10));
    const { body } = await caller.call<{ quotas: { dailyMemories: { used: number } } }>('/v1/account');
    expect(body.quotas.dailyMemories.used).toBe(0);
  });
});

describe('the messages of a conversation', () => {
  test.each(['oldest', 'newest'])('can be paged through, %s first, while others are appended', async (order) => {
    await talk.append(id, numbered(25));
    const seen: Message[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await talk.page(id, `?order=${order}&limit=10${cursor && `&cursor=${cursor}`}`);
      if (cursor === '') await talk.append(id, numbered(1, 25));
      seen.push(...page.data);
      cursor = page.nextCursor;
    }
    const contents = numbered(order === 'oldest' ? 26 : 25).map(({ content }) => content);
    expect(seen.map(({ content }) => content)).toEqual(order === 'oldest' ? contents : contents.reverse());
  });

  test('reject a cursor of the other order or of another conversation', async () => {
    await talk.append(id, numbered(3));
    const { nextCursor } = await talk.page(id, '?limit=1');
    const other = await talk.begin();
    await talk.append(other.id, numbered(3));
    const status = async (path: string) => (await caller.call(`${path}cursor=${nextCursor}`)).status;
    expect(await status(`${messagesAt()}?order=oldest&`)).toBe(400);
    expect(await status(`/v1/conversations/${other.id}/messages?`)).toBe(400);
    expect(await status(`${messagesAt()}?`)).toBe(200);
  });

  test('keep their ordinals when one is erased; its ordinal is not reused', async () => {
    const [, second, third] = await talk.append(id, numbered(3));
    await talk.erase(`conversations/${id}/messages/${second!.id}`);
    await talk.erase(`conversations/${id}/messages/${third!.id}`);
    await talk.append(id, numbered(1, 9));
    const { data } = await talk.page(id, '?order=oldest');
    expect(data.map(({ ordinal, content }) => [ordinal, content])).toEqual([
      [1, 'number 0'],
      [4, 'number 9'],
    ]);
    expect(await talk.read(id)).toMatchObject({ messageCount: 2, lastMessageAt: data[1]!.createdAt });
    expect((await caller.call(`${messagesAt()}/${second!.id}`)).status).toBe(404);
  });

  test('are not found under another conversation', async () => {
    const [message] = await talk.append(id, numbered(1));
    const other = await talk.begin();
    for (const method of ['GET', 'DELETE']) {
      expect((await caller.call(`/v1/conversations/${other.id}/messages/${message!.id}`, { method })).status).toBe(404);
    }
    expect((await caller.call(`${messagesAt()}/${message!.id}`)).status).toBe(200);
  });

  test('are not replayed after they are erased', async () => {
    const append = () =>
      caller.call(messagesAt(), { body: { messages: numbered(2) }, headers: { 'idempotency-key': 'k' } });
    const [message] = (await append()).body.data as Message[];
    expect((await append()).status).toBe(201);
    await talk.erase(`conversations/${id}/messages/${message!.id}`);
    expect(await append()).toMatchObject({ status: 410, body: { code: 'gone' } });
    expect(await talk.read(id)).toMatchObject({ messageCount: 1 });
  });
});
