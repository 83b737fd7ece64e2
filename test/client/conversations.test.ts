import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { makeTenant } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let client: Client;
let stranger: Client;

beforeAll(async () => {
  daemon = await startTestDaemon();
  const clientOf = async (email: string) => {
    const { apiKey } = await makeTenant(daemon, email);
    return createClient({ baseUrl: daemon.baseUrl, apiKey, retries: 0 });
  };
  client = await clientOf('conversations@example.com');
  stranger = await clientOf('stranger@example.com');
});

afterAll(() => daemon.close());

const messages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ role: 'user' as const, content: `${index}` }));

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('a conversation, through the client,', () => {
  test('is created, read, updated with If-Match, listed and deleted', async () => {
    const created = await client.conversations.create({ title: 'Tea', user: 'ada' });
    const { data, response } = await client.conversations.get(created.id).withResponse();
    expect(data).toEqual(created);
    expect(await client.conversations.get(created.id)).toEqual(created);
    const changed = await client.conversations.update(created.id, { title: 'Oolong' }, { ifMatch: response.etag });
    expect(changed).toMatchObject({ title: 'Oolong', version: 2 });
    const stale = { ifMatch: response.etag };
    await expect(client.conversations.update(created.id, { title: 'Lost' }, stale)).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    await expect(client.conversations.delete(created.id, stale)).rejects.toMatchObject({ code: 'precondition_failed' });
    expect((await client.conversations.list({ user: 'ada' })).data).toEqual([changed]);
    await expect(stranger.conversations.get(created.id)).rejects.toMatchObject({ code: 'not_found' });
    await client.conversations.delete(created.id);
    await expect(client.conversations.get(created.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is listed exactly once across pages', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await client.conversations.create({ user: 'pages' })).id);
    const all = await collected(client.conversations.list({ user: 'pages', limit: 2 }));
    expect(all.map(({ id }) => id)).toEqual(ids.reverse());
  });

  test('keeps messages in order and appends once per idempotency key', async () => {
    const { id } = await client.conversations.create();
    const once = { idempotencyKey: 'append-once' };
    const append = () => client.conversations.messages.append(id, messages(5), once).withResponse();
    const first = (await append()).data;
    expect(first).toMatchObject({ data: messages(5) });
    expect(await append()).toMatchObject({ data: first, response: { replayed: true } });
    const [newest] = (await client.conversations.messages.list(id, { limit: 1 })).data;
    expect(newest).toEqual(first.data.at(-1));
    expect(await client.conversations.messages.get(id, newest!.id)).toEqual(newest);
    await client.conversations.messages.delete(id, newest!.id);
    const left = await collected(client.conversations.messages.list(id, { order: 'oldest', limit: 2 }));
    expect(left).toEqual(first.data.slice(0, 4));
    const newestFirst = await collected(client.conversations.messages.list(id));
    expect(newestFirst).toEqual(left.reverse());
  });

  test('is split into episodes that can be listed by conversation', async () => {
    const { id } = await client.conversations.create({ user: 'cut' });
    await client.conversations.messages.append(id, messages(3));
    const { data } = await client.conversations.cut(id);
    expect(data.length).toBeGreaterThan(0);
    expect((await client.episodes.list({ conversationId: id })).data).toEqual(data);
  });
});

describe('an episode, through the client,', () => {
  const times = { startedAt: '2026-05-01T09:00:00.000Z', endedAt: '2026-05-01T10:00:00.000Z' };

  test('is created, read, updated with If-Match, listed and deleted', async () => {
    const written = await client.episodes.create({ title: 'Tea party', user: 'ada', ...times });
    const { data, response } = await client.episodes.get(written.id).withResponse();
    expect(data).toEqual(written);
    expect(await client.episodes.get(written.id)).toEqual(written);
    const changed = await client.episodes.update(written.id, { outcome: 'All awake' }, { ifMatch: response.etag });
    expect(changed).toMatchObject({ outcome: 'All awake', version: 2 });
    await expect(client.episodes.delete(written.id, { ifMatch: response.etag })).rejects.toMatchObject({
      code: 'precondition_failed',
    });
    expect((await client.episodes.list({ user: 'ada' })).data).toEqual([changed]);
    await expect(stranger.episodes.get(written.id)).rejects.toMatchObject({ code: 'not_found' });
    await client.episodes.delete(written.id);
    await expect(client.episodes.get(written.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is created once per idempotency key and listed across pages', async () => {
    const key = { idempotencyKey: 'episode-once' };
    const ids: string[] = [];
    for (const title of ['one', 'two', 'three']) {
      ids.push((await client.episodes.create({ title, user: 'pages', ...times })).id);
    }
    const last = { title: 'four', user: 'pages', ...times };
    const { id } = await client.episodes.create(last, key);
    expect((await client.episodes.create(last, key)).id).toBe(id);
    const all = await collected(client.episodes.list({ user: 'pages', limit: 3 }));
    expect(all.map((episode) => episode.id)).toEqual([id, ...ids.reverse()]);
  });
});
