import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Topic } from '../../../src/contract/topics.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

type Caller = Awaited<ReturnType<typeof newSuggesting>>;

async function listTopics(caller: Caller): Promise<Topic[]> {
  return (await caller.call<{ data: Topic[] }>('/v1/topics?limit=200')).body.data;
}

/** Sends a topic back as it was read. */
async function sendBack(caller: Caller, { id, name, aliases }: Topic) {
  return caller.call<Topic>(`/v1/topics/${id}`, { method: 'PATCH', body: { name, aliases } });
}

test.each([
  ['capitalized words', `${'Aa'.repeat(30)} ${'Bb'.repeat(30)}`],
  ['words after a title', `Dr. ${'Aa'.repeat(30)} ${'Bb'.repeat(30)}`],
  ['one word', `q${'xj'.repeat(60)}`],
  ['one word between hyphens', `Zq${'-xj'.repeat(60)}`],
])('a topic named by long %s can be sent back as it was read', async (_, name) => {
  const caller = await newSuggesting(daemon);
  for (const content of [`We met ${name} in Linz`, `Then ${name} left`, `We saw ${name} in May`]) {
    await caller.add(content);
    await caller.compared();
  }
  for (const topic of await listTopics(caller)) {
    expect([topic.name, ...topic.aliases].filter((one) => [...one].length > 80)).toEqual([]);
    const { status, text, body } = await sendBack(caller, topic);
    expect(status, text).toBe(200);
    expect(body).toEqual(topic);
  }
});

test('a topic into which many were merged can be sent back as it was read', async () => {
  const caller = await newSuggesting(daemon);
  for (let at = 0; at < 64; at += 16) {
    const tags = Array.from({ length: 16 }, (_, index) => `Station${at + index}`);
    await caller.add(`They met at noon on day ${at}`, { tags });
    await caller.add(`They sailed at dusk on day ${at}`, { tags });
    await caller.compared();
  }
  const [into, ...others] = (await listTopics(caller)).filter(({ name }) => name.startsWith('Station'));
  for (let at = 0; at < others.length; at += 20) {
    const topicIds = others.slice(at, at + 20).map(({ id }) => id);
    const merged = await caller.call(`/v1/topics/${into!.id}/merge`, { body: { topicIds } });
    expect(merged.status, merged.text).toBe(200);
  }
  const topic = (await listTopics(caller)).find(({ id }) => id === into!.id)!;
  expect(topic.aliases).toHaveLength(63);
  const { status, text, body } = await sendBack(caller, topic);
  expect(status, text).toBe(200);
  expect(body.aliases).toEqual(topic.aliases);
});
