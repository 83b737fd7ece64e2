import { expect, test } from 'vitest';
import { yieldingToOthers } from '../../../src/features/portability/concurrency.ts';

/** Reads 100 items, each of which takes so long; says what was read and how often others had their turn meanwhile. */
async function readWith(itemMs: number) {
  let nowMs = 0;
  async function* items() {
    for (let item = 0; item < 100; item++, nowMs += itemMs) yield item;
  }
  let turns = 0;
  let reading = true;
  const another = () => {
    if (reading) turns += 1;
    if (reading) setImmediate(another);
  };
  setImmediate(another);
  const found: number[] = [];
  for await (const item of yieldingToOthers(items(), { nowMs: () => nowMs, monotonicMs: () => nowMs }))
    found.push(item);
  reading = false;
  return { found, turns };
}

test('a long file leaves others their turns, and all of it is read in order', async () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  expect(await readWith(0)).toEqual({ found: all, turns: 0 });
  const slow = await readWith(1);
  expect(slow.found).toEqual(all);
  expect(slow.turns).toBeGreaterThanOrEqual(15);
});
