import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFairQueue } from '../../src/lib/fair-queue.ts';

const entries = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat()), { maxLength: 60 });

function takeAll<T>(queue: ReturnType<typeof createFairQueue<T>>) {
  const taken: { tenantId: string; item: T }[] = [];
  for (let next = queue.take(); next; next = queue.take()) taken.push(next);
  return taken;
}

test('a fair queue returns every item once, those of a tenant in order', () => {
  fc.assert(
    fc.property(entries, (given) => {
      const queue = createFairQueue<number>();
      for (const [tenantId, item] of given) queue.push(tenantId, item);
      expect(queue.size()).toBe(given.length);
      const taken = takeAll(queue);
      for (const tenantId of ['a', 'b', 'c', 'd']) {
        const items = given.filter(([of]) => of === tenantId).map(([, item]) => item);
        expect(taken.filter((one) => one.tenantId === tenantId).map(({ item }) => item)).toEqual(items);
      }
      expect(queue.size()).toBe(0);
    }),
  );
});

test('a fair queue serves no tenant twice while another one waits that was served less', () => {
  fc.assert(
    fc.property(entries, (given) => {
      const queue = createFairQueue<number>();
      for (const [tenantId, item] of given) queue.push(tenantId, item);
      const served = new Map<string, number>();
      for (let next = queue.take(); next; next = queue.take()) {
        const count = (served.get(next.tenantId) ?? 0) + 1;
        served.set(next.tenantId, count);
        for (const [tenantId] of given) {
          if (queue.sizeOf(tenantId) > 0) expect(served.get(tenantId) ?? 0).toBeGreaterThanOrEqual(count - 1);
        }
      }
    }),
  );
});

test('a fair queue leaves what may not be taken at the front', () => {
  const queue = createFairQueue<number>();
  for (const [tenantId, item] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['b', 4],
  ] as const)
    queue.push(tenantId, item);
  expect(queue.take((tenantId) => tenantId !== 'a')).toEqual({ tenantId: 'b', item: 2 });
  expect(queue.take(() => false)).toBeUndefined();
  expect(queue.take()).toEqual({ tenantId: 'a', item: 1 });
  expect(queue.clear().toSorted()).toEqual([3, 4]);
  expect(queue.size()).toBe(0);
});

test('the items of one tenant are removed in order, and no others', () => {
  const queue = createFairQueue<number>();
  for (const [tenantId, item] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ] as const)
    queue.push(tenantId, item);
  expect(queue.clear('a')).toEqual([1, 3]);
  expect(queue.clear('a')).toEqual([]);
  expect(queue.size()).toBe(1);
  expect(queue.take()).toEqual({ tenantId: 'b', item: 2 });
});
