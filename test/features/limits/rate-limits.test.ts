import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Tier } from '../../../src/contract/limits.ts';
import {
  type Caller,
  createProcessBuckets,
  createRateLimits,
  type RateDecision,
} from '../../../src/features/limits/rate-limits.ts';
import { createTestClock } from '../../helpers/clock.ts';

const HOUR_MS = 3_600_000;
const FREE = { capacity: 120, refillPerSecond: 2 };
const ENTERPRISE = { capacity: 3000, refillPerSecond: 50 };

function frozenLimits() {
  const clock = createTestClock();
  clock.freeze();
  const limits = createRateLimits({ clock, bucketsOf: (_kind, maxSize) => createProcessBuckets(clock, maxSize) });
  return {
    clock,
    limits: {
      take: (caller: Caller) => limits.take(caller) as RateDecision,
      takeSignIn: (address: string) => limits.takeSignIn(address) as RateDecision,
    },
  };
}

function frozenBuckets(maxSize: number) {
  const clock = createTestClock();
  clock.freeze();
  return { clock, buckets: createProcessBuckets(clock, maxSize) };
}

const tenant = (tier: Tier, tenantId = 'ten_1') => ({ tenantId, tier });

describe('each caller has the limit of its tier', () => {
  test.each([
    ['Free', 120],
    ['Pro', 600],
    ['Enterprise', 3000],
  ] as const)('%s allows %i requests at once, and one more after its share of the minute', (tier, limit) => {
    const { clock, limits } = frozenLimits();
    const first = limits.take(tenant(tier));
    expect(first).toMatchObject({ allowed: true, limit, remaining: limit - 1 });
    for (let count = 1; count < limit; count += 1) expect(limits.take(tenant(tier)).allowed).toBe(true);
    expect(limits.take(tenant(tier))).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 1 });
    clock.advance(60_000 / limit - 0.5);
    expect(limits.take(tenant(tier)).allowed).toBe(false);
    clock.advance(0.5);
    expect(limits.take(tenant(tier)).allowed).toBe(true);
    expect(limits.take(tenant(tier)).allowed).toBe(false);
    expect(limits.take(tenant('Free', 'ten_2')).allowed).toBe(true);
  });

  test('an IP address has the Free limit, and separately thirty sign-ins', () => {
    const { limits } = frozenLimits();
    const address = '203.0.113.7';
    const signIns = Array.from({ length: 31 }, () => limits.takeSignIn(address).allowed);
    expect(signIns.filter(Boolean)).toHaveLength(30);
    const requests = Array.from({ length: 121 }, () => limits.take({ address }).allowed);
    expect(requests.filter(Boolean)).toHaveLength(120);
    expect(limits.takeSignIn('203.0.113.8').allowed).toBe(true);
  });
});

describe('requests with a rejected credential', () => {
  test('have the Free limit of their address, apart from its other requests and its sign-ins', () => {
    const { limits } = frozenLimits();
    const address = '203.0.113.7';
    const rejected = Array.from({ length: 121 }, () => limits.take({ address, credentialRejected: true }).allowed);
    expect(rejected.filter(Boolean)).toHaveLength(120);
    expect(limits.take({ address }).remaining).toBe(119);
    expect(limits.takeSignIn(address).remaining).toBe(29);
    expect(limits.take({ address: '203.0.113.8', credentialRejected: true }).remaining).toBe(119);
  });
});

describe('setting the system clock', () => {
  test.each([HOUR_MS, -HOUR_MS])('by %i ms neither locks callers out nor allows a second burst', (jumpMs) => {
    const { clock, limits } = frozenLimits();
    for (let count = 0; count < 120; count += 1) limits.take(tenant('Free'));
    clock.setWall(clock.nowMs() + jumpMs);
    expect(limits.take(tenant('Free')).allowed).toBe(false);
    clock.advance(500);
    const next = limits.take(tenant('Free'));
    expect(next).toMatchObject({ allowed: true, remaining: 0 });
    expect(next.resetAtSeconds).toBe(Math.ceil(clock.nowMs() / 1000 + 60));
    expect(limits.take(tenant('Free')).allowed).toBe(false);
  });
});

describe('bucket storage', () => {
  test('stays bounded for any number of addresses and still counts all of them', () => {
    const { buckets } = frozenBuckets(500);
    const granted = Array.from({ length: 20_000 }, (_, n) => buckets.take(`10.0.${n >> 8}.${n & 255}`, FREE));
    expect(buckets.size()).toBeLessThanOrEqual(501);
    // 500 have their own bucket, the others share one.
    expect(granted.filter(({ allowed }) => allowed)).toHaveLength(500 + 120);
    expect(buckets.take('10.0.0.0', FREE)).toMatchObject({ allowed: true, remaining: 118 });
  });

  test('has room for new keys once the buckets that filled it are full again', () => {
    const { buckets, clock } = frozenBuckets(500);
    for (let n = 0; n < 5000; n += 1) buckets.take(`flood ${n}`, FREE);
    expect(buckets.take('newcomer', FREE).allowed).toBe(false);
    clock.advance(60_000);
    expect(buckets.take('newcomer', FREE)).toMatchObject({ allowed: true, remaining: 119 });
  });

  test('never evicts a bucket that is not full', () => {
    const { buckets, clock } = frozenBuckets(Number.POSITIVE_INFINITY);
    for (let count = 0; count < 120; count += 1) buckets.take('exhausted', FREE);
    // At this rate, the same usage would be refilled after 2.4 seconds.
    for (let n = 0; n < 100; n += 1) {
      buckets.take(`enterprise ${n}`, ENTERPRISE);
      clock.advance(100);
    }
    expect(buckets.peek('exhausted', FREE).remaining).toBe(20);
  });

  test('peeking stores nothing', () => {
    const { buckets } = frozenBuckets(10);
    for (let n = 0; n < 5000; n += 1) buckets.peek(`probe ${n}`, FREE);
    expect(buckets.size()).toBe(0);
  });

  test('eviction does not change any decision', () => {
    const steps = fc.array(
      fc.record({ caller: fc.integer({ min: 0, max: 3 }), pauseMs: fc.constantFrom(0, 1, 300, 2000, 6000, 61_000) }),
      { maxLength: 150 },
    );
    fc.assert(
      fc.property(steps, (schedule) => {
        const { buckets: evicting, clock } = frozenBuckets(Number.POSITIVE_INFINITY);
        const single = Array.from({ length: 4 }, () => createProcessBuckets(clock, 1));
        const rule = { capacity: 5, refillPerSecond: 0.5 };
        for (const { caller, pauseMs } of schedule) {
          clock.advance(pauseMs);
          evicting.peek('another key triggers a sweep', rule);
          expect(evicting.take(`caller ${caller}`, rule).allowed).toBe(single[caller]!.take('caller', rule).allowed);
        }
      }),
    );
  });
});
