import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { backoffMs, LONGEST_TIMER_MS } from '../../src/lib/backoff.ts';
import { chanceOf, systemRandom } from '../../src/lib/random.ts';

const ranges = fc
  .record({ firstMs: fc.integer({ min: 1, max: 60_000 }), times: fc.integer({ min: 1, max: 10_000 }) })
  .map(({ firstMs, times }) => ({ firstMs, maxMs: firstMs * times }));
const chances = fc.double({ min: 0, max: 1, noNaN: true });
const failures = fc.integer({ min: 1, max: 5000 });

describe('a backoff', () => {
  test('lies between half of a delay that doubles and all of it', () => {
    fc.assert(
      fc.property(failures, ranges, chances, (count, range, chance) => {
        const fullMs = Math.min(range.maxMs, range.firstMs * 2 ** (count - 1), LONGEST_TIMER_MS);
        const waitMs = backoffMs(count, range, chance);
        expect(Number.isInteger(waitMs)).toBe(true);
        expect(waitMs).toBeGreaterThanOrEqual(fullMs / 2);
        expect(waitMs).toBeLessThanOrEqual(fullMs);
        expect(backoffMs(count, range, 0)).toBe(Math.ceil(fullMs / 2));
        expect(backoffMs(count, range, 1)).toBe(fullMs);
      }),
    );
  });

  test('gets no shorter with more failures, and is never longer than its maximum', () => {
    fc.assert(
      fc.property(failures, failures, ranges, chances, (some, more, range, chance) => {
        const waitMs = backoffMs(some + more, range, chance);
        expect(waitMs).toBeGreaterThanOrEqual(backoffMs(some, range, chance));
        expect(waitMs).toBeLessThanOrEqual(range.maxMs);
      }),
    );
  });

  test('never ends before the other side asks to come back, as far as timers reach', () => {
    const asked = fc.oneof(fc.integer({ min: -1000, max: 7_200_000 }), fc.double({ min: 0, max: 1e15, noNaN: true }));
    fc.assert(
      fc.property(failures, ranges, chances, asked, (count, range, chance, retryAfterMs) => {
        const waitMs = backoffMs(count, range, chance, retryAfterMs);
        expect(waitMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, LONGEST_TIMER_MS));
        expect(waitMs).toBeLessThanOrEqual(LONGEST_TIMER_MS);
        if (retryAfterMs <= 0) expect(waitMs).toBe(backoffMs(count, range, chance));
      }),
    );
  });
});

test('a chance is from 0 to 1, whatever the bytes', () => {
  expect(chanceOf({ bytes: (count) => Buffer.alloc(count) })).toBe(0);
  expect(chanceOf({ bytes: (count) => Buffer.alloc(count, 255) })).toBeGreaterThan(0.999_999);
  expect(chanceOf({ bytes: (count) => Buffer.alloc(count, 255) })).toBeLessThan(1);
  expect(new Set(Array.from({ length: 20 }, () => chanceOf(systemRandom))).size).toBeGreaterThan(15);
});
