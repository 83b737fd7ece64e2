import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRefusalPace } from '../../src/daemon/refusal-pace.ts';
import { countByStatus, makeTenant, times } from '../features/limits/tenants.ts';
import { createTestClock } from '../helpers/clock.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
});

afterAll(() => daemon.close());

/** Sends requests one after the other for `ms` and returns their statuses. */
async function sendFor(ms: number, credential: string | undefined): Promise<number[]> {
  const statuses: number[] = [];
  for (const endMs = performance.now() + ms; performance.now() < endMs; ) {
    statuses.push((await daemon.call(credential, '/v1/account')).status);
  }
  return statuses;
}

test.each([
  ['an address', async () => undefined],
  ['a tenant', async () => (await makeTenant(daemon, 'fast@example.com', 'Free')).apiKey],
])('%s that sends without a pause is refused a few times per second', async (_caller, credentialOf) => {
  const credential = await credentialOf();
  await times(120, () => daemon.call(credential, '/v1/account'));
  const answers = await Promise.all([sendFor(1500, credential), sendFor(1500, credential)]);
  const refusals = answers.flat().filter((status) => status === 429);
  // Twenty at once, ten per second, and those on their way.
  expect(refusals.length).toBeGreaterThan(20);
  expect(refusals.length).toBeLessThanOrEqual(20 + 15 + 10);
});

test('an address that sends bodies that are too large is refused a few times per second', async () => {
  const body = JSON.stringify({ email: 'a@b.co', filler: 'x'.repeat(2 * 1024 * 1024) });
  const headers = { 'content-type': 'application/json' };
  daemon.clock.advance(60_000);
  const startMs = performance.now();
  const answers = await times(30, () =>
    daemon.call(undefined, '/v1/auth/magic-link', { method: 'POST', headers, body }),
  );
  expect(countByStatus(answers)).toEqual({ 413: 30 });
  // Twenty at once, ten per second.
  expect(performance.now() - startMs).toBeGreaterThan(900);
});

test('other callers do not wait for the refusals of one', async () => {
  const { apiKey } = await makeTenant(daemon, 'calm@example.com', 'Pro');
  const flood = sendFor(1000, undefined);
  const sentMs = performance.now();
  await times(5, () => daemon.call(apiKey, '/v1/account'));
  expect(performance.now() - sentMs).toBeLessThan(900);
  await flood;
});

test('callers have separate waits, which end after a pause and never exceed two seconds', async () => {
  const clock = createTestClock();
  clock.freeze();
  const refuse = createRefusalPace(clock);
  const timeOf = async (caller: string) => {
    const sentMs = performance.now();
    await refuse(caller);
    return performance.now() - sentMs;
  };
  await times(20, () => refuse('loud'));
  expect(await timeOf('quiet')).toBeLessThan(50);
  const waits = await Promise.all(Array.from({ length: 100 }, () => timeOf('loud')));
  expect(Math.max(...waits)).toBeGreaterThan(1500);
  expect(Math.max(...waits)).toBeLessThan(2500);
  clock.advance(4100);
  expect(await timeOf('loud')).toBeLessThan(50);
});
