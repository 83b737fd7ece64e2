import { expect, test } from 'vitest';
import { yieldToEventLoop } from '../../../src/features/portability/concurrency.ts';

/** Reads 100 items that take `itemMs` each; returns the items and how often the event loop ran other work meanwhile. */
async function readWith(itemMs: number) {
  let nowMs = 0;
  async function* items() {
    for (let item = 0; item < 100; item++, nowMs += itemMs) yield item;
  }
  let turns = 0;
  let reading = true;
  const otherWork = () => {
    if (reading) turns += 1;
    if (reading) setImmediate(otherWork);
  };
  setImmediate(otherWork);
  const read: number[] = [];
  for await (const item of yieldToEventLoop(items(), { nowMs: () => nowMs, monotonicMs: () => nowMs })) read.push(item);
  reading = false;
  return { read, turns };
}

test('a long file yields to the event loop and is read completely and in order', async () => {
  const all = Array.from({ length: 100 }, (_, index) => index);
  expect(await readWith(0)).toEqual({ read: all, turns: 0 });
  const slow = await readWith(1);
  expect(slow.read).toEqual(all);
  expect(slow.turns).toBeGreaterThanOrEqual(15);
});
