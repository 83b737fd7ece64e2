import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type ChangeEvent, createClient } from '../../src/client/client.ts';
import type { Conversation } from '../../src/contract/conversations.ts';
import { parseAllowedHost } from '../../src/outside/providers/provider-address.ts';
import { converse, extract, extracted, KEY, untilEnded } from '../features/extraction/extraction-daemon.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { putKey } from '../features/providers/provider-daemon.ts';
import { type FakeEmbedder, startEmbedder } from '../helpers/embedder.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';

// Two daemons serve one database: what one of them does, the other knows at once.

const NAME = 'severaldaemons';
let embedder: FakeEmbedder;
let server: ProviderServer;
let one: MemoryDaemon;
let other: MemoryDaemon;
let caller: Caller;
/** The same account, at the other daemon. */
let there: Caller;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const databaseUrl = await ensureDatabase(adminUrl, NAME, template);
  embedder = await startEmbedder();
  server = await startProviderServer('openai', {
    key: KEY,
    answer: () => ({ memories: [extracted('Ada drinks tea.', [1])] }),
  });
  const config = { embeddings: embedder.openai(), providerHosts: [parseAllowedHost('127.0.0.1')] };
  one = await startMemoryDaemon({ databaseUrl, config });
  other = await startMemoryDaemon({ databaseUrl, config });
  caller = await one.account();
  there = createCaller(other.call, caller.apiKey, caller.tenantId);
}, 60_000);

afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await Promise.all([server?.close(), embedder?.close()]);
  await dropDatabase(inject('postgres').adminUrl, NAME);
});

test('each conversation is extracted once, although both daemons look for jobs', async () => {
  await putKey(caller, server, KEY);
  server.requests.length = 0;
  const jobs = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const by = index % 2 === 0 ? caller : there;
      return extract(by, await converse(by, [`I drink tea number ${index}.`]));
    }),
  );
  for (const jobId of jobs) expect(await untilEnded(there, jobId)).toMatchObject({ state: 'done' });
  expect(server.requests).toHaveLength(12);
});

test('each text is embedded once', async () => {
  embedder.asked.length = 0;
  const contents = Array.from({ length: 30 }, (_, index) => `Bo saw heron number ${index}.`);
  for (const [index, content] of contents.entries()) await (index % 2 === 0 ? caller : there).add(content);
  await vi.waitFor(async () => expect(await one.embeddings.waiting()).toBe(0), { timeout: 15_000, interval: 200 });
  const asked = embedder.asked.flatMap(({ input }) => input).filter((text) => text.startsWith('Bo saw heron'));
  expect(asked.toSorted()).toEqual(contents.toSorted());
});

test('feedback reaches the daemon that did not answer the search, and changes what it ranks next', async () => {
  const { id } = await caller.add('Cleo plays the cello.');
  const { body } = await caller.search('Who plays the cello?');
  const answer = await there.call<{ learned: boolean }>(`/v1/searches/${body.searchId}/feedback`, {
    body: { used: [id] },
  });
  expect(answer.body).toMatchObject({ learned: true });
  expect((await caller.call<{ events: number }>('/v1/retrieval')).body.events).toBeGreaterThan(0);
});

test('reading a result at the other daemon counts as its use', async () => {
  const user = 'implied';
  const { id } = await caller.add('Dora repairs clocks.', { user });
  const { body } = await caller.search('Who repairs clocks?', { user });
  await vi.waitFor(
    async () => {
      expect((await there.read(id)).status).toBe(200);
      expect((await caller.call<{ events: number }>(`/v1/retrieval?user=${user}`)).body.events).toBeGreaterThan(0);
    },
    { timeout: 10_000, interval: 200 },
  );
  expect(body.searchId).toMatch(/^srch_/);
});

test('a user erased at one daemon and created again at the other is found by both', async () => {
  const user = 'eve';
  await caller.add('Eve keeps bees.', { user });
  expect(await there.find('bees', { user })).toEqual(['Eve keeps bees.']);
  const erased = await there.call(`/v1/users/${user}`, { method: 'DELETE' });
  expect(erased.status, erased.text).toBeLessThan(300);
  await vi.waitFor(async () => expect((await caller.add('Eve keeps goats.', { user })).id).toMatch(/^mem_/), 10_000);
  for (const daemon of [caller, there]) expect(await daemon.find('keeps', { user })).toEqual(['Eve keeps goats.']);
});

test('what one daemon writes is found at once by the other, which has searched for the same words before', async () => {
  const user = 'finn';
  const { id } = await caller.add('Finn bakes bread.', { user });
  expect(await there.find('bread', { user })).toEqual(['Finn bakes bread.']);
  await caller.erase(id);
  await caller.add('Finn sells bread.', { user });
  expect(await there.find('bread', { user })).toEqual(['Finn sells bread.']);
  await caller.add('Finn likes rye bread.', { user });
  expect(await there.find('bread', { user })).toHaveLength(2);
});

test('a conversation erased at one daemon is gone at the other', async () => {
  const id = await converse(caller, ['I sail on Sundays.']);
  expect((await there.call<Conversation>(`/v1/conversations/${id}`)).status).toBe(200);
  expect((await there.call(`/v1/conversations/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await caller.call(`/v1/conversations/${id}`)).status).toBe(404);
});

test('work with a provider key ends within seconds after another daemon removed or replaced the key', async () => {
  const owner = await one.account();
  await putKey(owner, server, KEY);
  const workWithKey = (onBegin: () => void) =>
    one.providerKeys.use(owner.tenantId, { provider: 'openai', model: server.generating }, (_, signal) => {
      onBegin();
      return new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
  const elsewhere = createCaller(other.call, owner.apiKey, owner.tenantId);
  for (const change of [
    () => putKey(elsewhere, server, KEY),
    () => elsewhere.call('/v1/provider-keys/openai', { method: 'DELETE' }),
  ]) {
    let used: Promise<void> | undefined;
    // With the key before the change.
    await new Promise<void>((onBegin) => {
      used = expect(workWithKey(onBegin)).rejects.toMatchObject({ message: expect.stringContaining('key') });
    });
    await change();
    await used;
  }
}, 30_000);

test('an event stream of one daemon shows what happens at the other, and resumes there without a gap', async () => {
  const read = async (by: MemoryDaemon, count: number, lastEventId?: string): Promise<ChangeEvent[]> => {
    const events: ChangeEvent[] = [];
    const options = lastEventId === undefined ? {} : { lastEventId };
    for await (const event of createClient({ baseUrl: by.baseUrl, apiKey: caller.apiKey }).events(options)) {
      events.push(event);
      if (events.length === count) break;
    }
    return events;
  };
  const received = read(one, 1);
  await expect.poll(() => one.events.openStreams()).toBe(1);
  // Its first look, which finds where it begins, is behind it.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const user = 'streamed';
  const first = await there.add('Finn mends nets.', { user });
  const [seen] = await received;
  expect(seen).toMatchObject({ event: 'memory.created', data: { id: first.id, user } });
  const [second, third] = [
    await caller.add('Finn sells fish.', { user }),
    await there.add('Finn rows home.', { user }),
  ];
  const resumed = await read(other, 2, seen!.id);
  expect(resumed.map(({ data }) => data.id)).toEqual([second.id, third.id]);
});
