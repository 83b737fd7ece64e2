import { expect, test } from 'vitest';
import { batchesOf } from '../../../src/features/embeddings/batches.ts';
import { createModelLimiter } from '../../../src/features/embeddings/tenant-embeddings.ts';

/** Steps that the test completes by hand. */
function heldWork() {
  const started: number[] = [];
  const ends = new Map<number, (outcome: 'more' | 'done') => void>();
  return {
    started,
    work: (model: number) => {
      started.push(model);
      return new Promise<'more' | 'done'>((resolve) => ends.set(model, resolve));
    },
    end: (model: number, outcome: 'more' | 'done' = 'done') => ends.get(model)!(outcome),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('failing models run in addition to healthy ones, never in their place', async () => {
  const held = heldWork();
  const limiter = createModelLimiter({ work: held.work, isFailing: (model) => model < 100 });
  for (let model = 0; model < 50; model += 1) limiter.add(model);
  expect(held.started).toEqual([0, 1, 2, 3]);
  for (let model = 100; model < 150; model += 1) limiter.add(model);
  expect(held.started.filter((model) => model >= 100)).toHaveLength(12);
  held.end(100);
  await turn();
  expect(held.started.at(-1)).toBe(112);
});

test('models take turns, none runs twice at once, and nothing starts after close', async () => {
  const held = heldWork();
  const limiter = createModelLimiter({ work: held.work, isFailing: () => false });
  for (let model = 1; model <= 14; model += 1) limiter.add(model);
  limiter.add(1);
  held.end(1, 'more');
  await turn();
  expect(held.started.slice(12)).toEqual([13]);
  held.end(2);
  await turn();
  held.end(3);
  await turn();
  expect(held.started.slice(12)).toEqual([13, 14, 1]);
  limiter.close();
  limiter.add(15);
  for (const model of [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]) held.end(model, 'more');
  await limiter.settled();
  expect(held.started).toHaveLength(15);
});

test('a request is limited by texts and tokens; a text over the limit is sent alone', () => {
  const jobs = (...lengths: number[]) => lengths.map((length, index) => ({ text: `${index}`.padEnd(length, 'x') }));
  const lengths = (batches: { text: string }[][]) => batches.map((batch) => batch.map(({ text }) => text.length));
  expect(lengths(batchesOf(jobs(4, 4, 4, 4, 4), { texts: 2, tokens: 100 }, 2))).toEqual([
    [4, 4],
    [4, 4],
  ]);
  expect(lengths(batchesOf(jobs(40, 41, 20, 20, 4), { texts: 9, tokens: 20 }, 9))).toEqual([[40], [41, 20], [20, 4]]);
  expect(lengths(batchesOf(jobs(8, 999, 8), { texts: 9, tokens: 20 }, 9))).toEqual([[8], [999], [8]]);
  const same = [{ text: 'same' }, { text: 'same' }, { text: 'other' }, { text: 'same' }];
  expect(batchesOf(same, { texts: 2, tokens: 3 }, 9)).toEqual([same]);
  expect(batchesOf([], { texts: 2, tokens: 3 }, 9)).toEqual([]);
});
