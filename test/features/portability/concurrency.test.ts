import { expect, test } from 'vitest';
import { createSemaphore, createTransferLimiter } from '../../../src/features/portability/concurrency.ts';

test('a transfer limiter bounds concurrent transfers, allows one per tenant, and reuses released slots', () => {
  const limiter = createTransferLimiter(2, 'export');
  const release = limiter.acquire('a');
  expect(() => limiter.acquire('a')).toThrow('Another export of this account');
  limiter.acquire('b');
  expect(() => limiter.acquire('c')).toThrow('Too many exports');
  release();
  expect(() => limiter.acquire('c')).not.toThrow();
  expect(() => limiter.acquire('a')).toThrow('Too many exports');
});

test('a transfer is awaited if its key was refused meanwhile, or if no slot is free', () => {
  const limiter = createTransferLimiter(2, 'import');
  const release = limiter.acquire('a');
  expect(limiter.isAwaited('a')).toBe(false);
  expect(() => limiter.acquire('a')).toThrow();
  expect([limiter.isAwaited('a'), limiter.isAwaited('b')]).toEqual([true, false]);
  release();
  limiter.acquire('a');
  expect(limiter.isAwaited('a')).toBe(false);
  limiter.acquire('b');
  expect(limiter.isAwaited('a')).toBe(true);
});

test('a semaphore runs work in the order of the calls, never more at once than it has slots', async () => {
  const runWork = createSemaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = Array.from({ length: 5 }, (_, index) =>
    runWork(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (index === 1) throw new Error('failed');
    }).catch(() => {}),
  );
  for (let ended = 0; ended < 5; ended += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual([0, 1, 2, 3, 4].slice(0, Math.min(5, ended + 2)));
    ends[ended]!();
  }
  await Promise.all(all);
  expect(await runWork(async () => 'free')).toBe('free');
});
