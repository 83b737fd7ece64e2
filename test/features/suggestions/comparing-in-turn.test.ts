import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../helpers/clock.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

/** What each look at the clock takes. */
const STEP_MS = 1500;

let daemon: MemoryDaemon;
let passedMs = 0;

beforeAll(async () => {
  const clock = createTestClock();
  const monotonicMs = () => {
    passedMs += STEP_MS;
    return clock.monotonicMs() + passedMs;
  };
  daemon = await startMemoryDaemon({ clock: { ...clock, monotonicMs } });
});
afterAll(() => daemon.close());

async function unreadOf(caller: Caller): Promise<number> {
  return (await caller.call<{ unreadChanges: number }>('/v1/account')).body.unreadChanges;
}

test('comparing ends a run in the middle of the accounts once its second is over, and the next goes on after them', async () => {
  const busy = await daemon.account();
  const others = [await daemon.account(), await daemon.account(), await daemon.account()];
  for (const [index, caller] of others.entries()) await caller.add(`The heron of account ${index} is blue`);
  const unread = async () => (await Promise.all(others.map(unreadOf))).filter((count) => count > 0).length;
  for (let run = 0; run <= others.length; run += 1) {
    // It would have its turn first whenever a run begins with the first account.
    await busy.add(`Heron number ${run} is white`);
    const before = await unread();
    expect(await daemon.comparing.follow()).toBe(true);
    expect(await unread()).toBeGreaterThanOrEqual(before - 1);
  }
  expect(await unread()).toBe(0);
  while (await daemon.comparing.follow());
  expect(await unreadOf(busy)).toBe(0);
});
