import { afterEach, expect, test, vi } from 'vitest';
import { createClockCheck } from '../../src/daemon/clock-check.ts';
import { startScheduler } from '../../src/daemon/scheduler.ts';
import { SOLE_DAEMON } from '../../src/features/leases/leases.ts';
import { createTestClock } from '../helpers/clock.ts';

afterEach(() => void vi.useRealTimers());

test('a daemon whose clock differs from that of the database does no background work until it is right', async () => {
  const clock = createTestClock();
  const logged: string[] = [];
  const note = (_: object, message: string) => logged.push(message);
  const log = { info: note, warn: note, error: note };
  let offsetMs = -86_400_000;
  const hasRightClock = createClockCheck({ db: { clockOffsetMs: async () => offsetMs }, clock, log });
  const run = vi.fn(async () => {});
  const task = { name: 'erase expired memories', everyMs: 5, by: 'each' as const, run };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const scheduler = startScheduler([task], { leases: SOLE_DAEMON, log, hasRightClock });
  await vi.advanceTimersByTimeAsync(50);
  expect(run).not.toHaveBeenCalled();
  offsetMs = 100;
  clock.advance(11_000);
  await vi.advanceTimersByTimeAsync(5);
  expect(run).toHaveBeenCalledOnce();
  await scheduler.stop();
  expect(logged).toEqual([
    'no background work: the clock differs from that of the database',
    'background work continues: the clock is right again',
  ]);
});
