import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Topic } from '../../../src/contract/topics.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test.each([
  ['Japanese', '田中さん', '昨日は田中さんと会いました。', '田中さんは京都に住んでいます。'],
  ['Thai', 'สมชาย', 'เมื่อวานฉันพบสมชายที่ตลาด', 'พี่สมชายอยู่ที่เชียงใหม่'],
  ['Korean', '민수', '어제 민수를 만났습니다.', '민수는 부산에 삽니다.'],
])('an alias in %s finds the memories that say it, and later ones', async (_, alias, before, later) => {
  const caller = await newSuggesting(daemon);
  const tagged = ['Likes tea', 'Likes coffee'].map((content) => ({ content, tags: ['neighbor'] }));
  await caller.addAll([...tagged, { content: before }]);
  await caller.compared();
  const [topic] = (await caller.call<{ data: Topic[] }>('/v1/topics')).body.data;
  const change = { method: 'PATCH', body: { aliases: [alias] } };
  expect((await caller.call<Topic>(`/v1/topics/${topic!.id}`, change)).body.memoryCount).toBe(3);
  await caller.add(later);
  await caller.compared();
  expect((await caller.call<Topic>(`/v1/topics/${topic!.id}`)).body.memoryCount).toBe(4);
});
