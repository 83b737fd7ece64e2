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

test('an alias that is given while a memory is read finds the memory', async () => {
  const caller = await newSuggesting(daemon);
  await caller.addAll(['Likes tea', 'Likes coffee'].map((content) => ({ content, tags: ['heron'] })));
  await caller.compared();
  const [topic] = (await caller.call<{ data: Topic[] }>('/v1/topics')).body.data;
  await caller.add('Painted the boat');
  const { writes } = daemon.db;
  let release = () => {};
  const held = writes.between(() => new Promise<void>((resolve) => (release = resolve)));
  const made: Promise<unknown>[] = [];
  try {
    const change = { method: 'PATCH', body: { aliases: ['the boat'] } };
    for (const write of [() => caller.call(`/v1/topics/${topic!.id}`, change), daemon.comparing.follow]) {
      const before = writes.waiting();
      made.push(write());
      await expect.poll(() => writes.waiting()).toBeGreaterThan(before);
    }
  } finally {
    // Held writes would fail the tests that follow.
    release();
  }
  await Promise.all([held, ...made]);
  await caller.compared();
  expect((await caller.call<Topic>(`/v1/topics/${topic!.id}`)).body.memoryCount).toBe(3);
});
