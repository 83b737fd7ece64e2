import { describe, expect, test } from 'vitest';
import { createTenantLimiter } from '../../../src/features/limits/tenant-limiter.ts';

const limiterOf = (maxActive: number) => createTenantLimiter({ maxActive, maxWaiting: 2000, of: 'searches' });

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

describe('the limiter of a tenant', () => {
  test.each([1, 2, 3])('runs at most %i at once of a tenant', async (expected) => {
    const limiter = limiterOf(expected);
    const { open, passed } = gate();
    let active = 0;
    let most = 0;
    const searches = Array.from({ length: 10 }, () =>
      limiter.run('one', async () => {
        active += 1;
        most = Math.max(most, active);
        await passed;
        active -= 1;
      }),
    );
    await Promise.resolve();
    expect(limiter.waiting()).toBe(10 - expected);
    open();
    await Promise.all(searches);
    expect(most).toBe(expected);
    expect(limiter.waiting()).toBe(0);
  });

  test('runs a search at once while two thousand of another tenant wait', async () => {
    const limiter = limiterOf(1);
    const { open, passed } = gate();
    const loud = Array.from({ length: 2001 }, () => limiter.run('loud', () => passed));
    expect(await limiter.run('quiet', async () => 'found')).toBe('found');
    expect(limiter.waiting()).toBe(2000);
    open();
    await Promise.all(loud);
  });

  test('rejects with 503 beyond two thousand, then runs those that waited in order', async () => {
    const limiter = limiterOf(1);
    const { open, passed } = gate();
    const order: number[] = [];
    const searches = Array.from({ length: 2001 }, (_, index) =>
      limiter.run('loud', async () => {
        await passed;
        order.push(index);
      }),
    );
    await expect(limiter.run('loud', async () => {})).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      options: { retryAfterSeconds: 1 },
    });
    open();
    await Promise.all(searches);
    expect(order).toEqual(Array.from({ length: 2001 }, (_, index) => index));
  });

  test('releases the slot of a search that fails', async () => {
    const limiter = limiterOf(1);
    for (let count = 0; count < 5; count += 1) {
      await expect(limiter.run('one', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    expect(await limiter.run('one', async () => 'found')).toBe('found');
  });
});
