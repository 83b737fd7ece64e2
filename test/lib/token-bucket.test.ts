import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bucket, type BucketRule, takeToken } from '../../src/lib/token-bucket.ts';

const perMinute = (limit: number): BucketRule => ({ capacity: limit, refillPerSecond: limit / 60 });
/** The rounding error of a double on a clock that has run for weeks. */
const ROUNDING_MS = 0.001;
const TIERS = [120, 600, 3000].map(perMinute);

const rules = fc.oneof(
  fc.constantFrom(...TIERS),
  fc.record({
    capacity: fc.integer({ min: 1, max: 5000 }),
    refillPerSecond: fc.double({ min: 0.01, max: 100, noNaN: true }),
  }),
);
/** Pauses between requests: none, those of a burst, up to an hour. */
const pauses = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0, max: 20, noNaN: true }),
  fc.integer({ min: 0, max: 3_600_000 }),
);

/** Runs a schedule and returns every decision with the time since the start. */
function run(schedule: readonly { pauseMs: number; rule: BucketRule; cost?: number }[]) {
  let bucket: Bucket | undefined;
  let nowMs = 1000;
  return schedule.map(({ pauseMs, rule, cost = 1 }) => {
    nowMs += pauseMs;
    const decision = takeToken(bucket, rule, nowMs, cost);
    if (cost > 0) bucket = decision.bucket;
    return { ...decision, rule, nowMs };
  });
}

describe('over any schedule of requests', () => {
  test('never grants more than the capacity plus the refill', () => {
    fc.assert(
      fc.property(rules, fc.array(pauses, { maxLength: 300 }), (rule, schedule) => {
        const decisions = run(schedule.map((pauseMs) => ({ pauseMs, rule })));
        const granted = decisions.filter(({ allowed }) => allowed);
        for (const [index, first] of granted.entries()) {
          const last = granted.at(-1)!;
          const elapsed = (last.nowMs - first.nowMs) / 1000;
          expect(granted.length - index).toBeLessThanOrEqual(rule.capacity + rule.refillPerSecond * elapsed + 1e-6);
        }
      }),
    );
  });

  test('keeps `remaining` a whole number from zero to the capacity, even as the tier changes', () => {
    const steps = fc.record({ pauseMs: pauses, rule: fc.constantFrom(...TIERS), cost: fc.constantFrom(0, 1) });
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 400 }), (schedule) => {
        for (const { remaining, rule, fullAfterSeconds, retryAfterSeconds } of run(schedule)) {
          expect(Number.isInteger(remaining)).toBe(true);
          expect(remaining).toBeGreaterThanOrEqual(0);
          expect(remaining).toBeLessThanOrEqual(rule.capacity);
          expect(fullAfterSeconds).toBeGreaterThanOrEqual(0);
          expect(fullAfterSeconds).toBeLessThanOrEqual(rule.capacity / rule.refillPerSecond + 1e-6);
          expect(retryAfterSeconds).toBeLessThanOrEqual(1 / rule.refillPerSecond + 1e-6);
        }
      }),
    );
  });

  test('reports exactly when the next token is available', () => {
    fc.assert(
      fc.property(rules, fc.array(pauses, { minLength: 1, maxLength: 200 }), (rule, schedule) => {
        const refused = run(schedule.map((pauseMs) => ({ pauseMs, rule }))).find(({ allowed }) => !allowed);
        if (!refused) return;
        const waitMs = refused.retryAfterSeconds * 1000 + ROUNDING_MS;
        expect(takeToken(refused.bucket, rule, refused.nowMs + waitMs).allowed).toBe(true);
        expect(takeToken(refused.bucket, rule, refused.nowMs + waitMs * 0.99 - 1).allowed).toBe(false);
      }),
    );
  });

  test('neither grants tokens nor locks a caller out when the clock goes backwards', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 1, max: 86_400_000 }), (rule, backMs) => {
        const atMs = 1e9;
        const empty: Bucket = { used: rule.capacity, atMs };
        const back = takeToken(empty, rule, atMs - backMs);
        expect(back.allowed).toBe(false);
        const tokenMs = 1000 / rule.refillPerSecond + ROUNDING_MS;
        expect(takeToken(back.bucket, rule, atMs - backMs + tokenMs).allowed).toBe(true);
      }),
    );
  });

  test('takes no token for a cost of 0', () => {
    fc.assert(
      fc.property(rules, fc.integer({ min: 0, max: 50 }), (rule, looks) => {
        const schedule = Array.from({ length: looks }, () => ({ pauseMs: 0, rule, cost: 0 }));
        const decisions = run([...schedule, { pauseMs: 0, rule }]);
        expect(decisions.at(-1)!.remaining).toBe(rule.capacity - 1);
      }),
    );
  });
});

describe('when the tier changes', () => {
  const exhausted = (rule: BucketRule): Bucket => ({ used: rule.capacity, atMs: 0 });
  const [free, pro, enterprise] = TIERS as [BucketRule, BucketRule, BucketRule];

  test.each([
    ['Free to Pro', free, pro, 480],
    ['Free to Enterprise', free, enterprise, 2880],
    ['Pro to Enterprise', pro, enterprise, 2400],
  ])('%s grants the difference at once', (_, from, to, difference) => {
    expect(takeToken(exhausted(from), to, 0, 0).remaining).toBe(difference);
  });

  test.each([
    ['Enterprise to Free', enterprise, free],
    ['Enterprise to Pro', enterprise, pro],
    ['Pro to Free', pro, free],
  ])(
    '%s leaves no tokens, and the next request waits for one token only, not for what the old tier used',
    (_, from, to) => {
      const refused = takeToken(exhausted(from), to, 0);
      expect(refused).toMatchObject({ allowed: false, remaining: 0 });
      expect(refused.fullAfterSeconds).toBe(60);
      expect(takeToken(refused.bucket, to, 1000 / to.refillPerSecond).allowed).toBe(true);
    },
  );
});
