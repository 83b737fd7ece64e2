import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Topic, TopicDetails } from '../../../src/contract/topics.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test.each([
  ['into the first', 0, 1],
  ['into the second', 1, 0],
])('topics that a memory mentions by the same name are merged %s', async (_, into, from) => {
  const caller = await newSuggesting(daemon);
  const told = [
    'Ada Lovelace lives in Linz',
    'Ada called about the leak',
    'Ada Byron plays the viola',
    'Ada Byron left',
  ];
  for (const content of told) {
    await caller.add(content);
    await caller.compared();
  }
  const found = (await caller.call<{ data: Topic[] }>('/v1/topics')).body.data;
  const [lovelace, byron] = ['Ada Lovelace', 'Ada Byron'].map((one) => found.find(({ name }) => name === one)!);
  const change = { method: 'PATCH', body: { aliases: ['Ada'] } };
  expect((await caller.call(`/v1/topics/${byron!.id}`, change)).status).toBe(200);
  const ids = [lovelace!.id, byron!.id];
  const merged = await caller.call<Topic>(`/v1/topics/${ids[into]}/merge`, { body: { topicIds: [ids[from]!] } });
  expect(merged.status, merged.text).toBe(200);
  const { body } = await caller.call<TopicDetails>(`/v1/topics/${ids[into]}`);
  expect(body.memoryCount).toBe(4);
  expect(body.now.map(({ content }) => content).sort()).toEqual(told.toSorted());
});
