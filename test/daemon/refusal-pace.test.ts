import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRefusalPace } from '../../src/daemon/refusal-pace.ts';
import { countByStatus, makeTenant, times } from '../features/limits/tenants.ts';
import { createTestClock } from '../helpers/clock.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;

/** How refused callers wait; by default the time passes at once. */
let wait: (ms: number) => Promise<void>;

beforeAll(async () => {
  daemon = await startTestDaemon({ refusalWait: (ms) => wait(ms) });
});

afterAll(() => daemon.close());

beforeEach(() => {
  daemon.clock.freeze();
  daemon.clock.advance(120_000);
  wait = async (ms) => daemon.clock.advance(ms);
});

test.each([
  ['an address', async () => undefined],
  ['a tenant', async () => (await makeTenant(daemon, 'fast@example.com', 'Free')).apiKey],
])('%s that sends without a pause is refused a few times per second', async (_caller, credentialOf) => {
  const credential = await credentialOf();
  await times(120, () => daemon.call(credential, '/v1/account'));
  const statuses: number[] = [];
  for (const endMs = daemon.clock.monotonicMs() + 1500; daemon.clock.monotonicMs() < endMs; ) {
    statuses.push((await daemon.call(credential, '/v1/account')).status);
  }
  const refusals = statuses.filter((status) => status === 429);
  // Twenty at once, ten per second; one more where a sum of fractions ends before the interval.
  expect(refusals.length).toBeGreaterThanOrEqual(20 + 15);
  expect(refusals.length).toBeLessThanOrEqual(20 + 15 + 1);
});

test('an address that sends bodies that are too large is refused a few times per second', async () => {
  const body = JSON.stringify({ email: 'a@b.co', filler: 'x'.repeat(64 * 1024) });
  const headers = { 'content-type': 'application/json' };
  const waitsMs: number[] = [];
  wait = async (ms) => void waitsMs.push(Math.round(ms));
  const answers = await times(30, () =>
    daemon.call(undefined, '/v1/auth/magic-link', { method: 'POST', headers, body }),
  );
  expect(countByStatus(answers)).toEqual({ 413: 30 });
  // Twenty at once, ten per second.
  expect(waitsMs.filter((ms) => ms > 0)).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
});

test('other callers do not wait for the refusals of one', async () => {
  const { apiKey } = await makeTenant(daemon, 'calm@example.com', 'Pro');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let areAllWaiting = () => {};
  const allWaiting = new Promise<void>((resolve) => {
    areAllWaiting = resolve;
  });
  let waiting = 0;
  wait = async () => {
    waiting += 1;
    if (waiting === 10) areAllWaiting();
    await released;
  };
  await times(120, () => daemon.call(undefined, '/v1/account'));
  const flood = times(35, () => daemon.call(undefined, '/v1/account'));
  await allWaiting;
  expect(countByStatus(await times(5, () => daemon.call(apiKey, '/v1/account')))).toEqual({ 200: 5 });
  release();
  expect(countByStatus(await flood)).toEqual({ 429: 35 });
});

test('callers have separate waits, which end after a pause and never exceed two seconds', async () => {
  const clock = createTestClock();
  clock.freeze();
  const waitsMs: number[] = [];
  const refuse = createRefusalPace(clock, async (ms) => void waitsMs.push(Math.round(ms)));
  const waitsOf = async (caller: string, count: number) => {
    await times(count, () => refuse(caller));
    return waitsMs.splice(0).filter((ms) => ms > 0);
  };
  expect(await waitsOf('loud', 20)).toEqual([]);
  expect(await waitsOf('quiet', 1)).toEqual([]);
  expect(await waitsOf('loud', 100)).toEqual(
    Array.from({ length: 100 }, (_, index) => Math.min(100 * (index + 1), 2000)),
  );
  clock.advance(4100);
  expect(await waitsOf('loud', 1)).toEqual([]);
});

test('a refusal waits in real time unless told otherwise', async () => {
  const clock = createTestClock();
  clock.freeze();
  const refuse = createRefusalPace(clock);
  await times(20, () => refuse('loud'));
  const startMs = performance.now();
  await refuse('loud');
  expect(performance.now() - startMs).toBeGreaterThan(90);
});
