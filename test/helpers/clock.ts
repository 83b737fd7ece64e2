import type { Clock } from '../../src/lib/clock.ts';

/** A clock that tests can move; otherwise it follows the system clock. */
export interface TestClock extends Clock {
  /** Advances both the wall clock and the monotonic clock. */
  advance(ms: number): void;
  /** Moves only the wall clock, as when somebody sets it. */
  setWall(epochMs: number): void;
  /** Moves the wall clock to noon of the present day in UTC, so that no test crosses midnight. */
  setNoon(): void;
  /** Stops both clocks; `advance` and `setWall` still move them. */
  freeze(): void;
}

const HOUR_MS = 3_600_000;

export function createTestClock(): TestClock {
  let wallOffsetMs = 0;
  let monotonicOffsetMs = 0;
  let frozen: { wallMs: number; monotonicMs: number } | undefined;
  const wallMs = () => frozen?.wallMs ?? Date.now();
  const monotonicMs = () => frozen?.monotonicMs ?? performance.now();
  return {
    nowMs: () => Math.floor(wallMs() + wallOffsetMs),
    monotonicMs: () => monotonicMs() + monotonicOffsetMs,
    advance(ms) {
      wallOffsetMs += ms;
      monotonicOffsetMs += ms;
    },
    setWall(epochMs) {
      wallOffsetMs = epochMs - wallMs();
    },
    setNoon() {
      wallOffsetMs += 12 * HOUR_MS - ((wallMs() + wallOffsetMs) % (24 * HOUR_MS));
    },
    freeze() {
      // Sums of fractions are not exact: an advance by a whole interval would end just before it is over.
      frozen = { wallMs: wallMs(), monotonicMs: Math.floor(monotonicMs()) };
    },
  };
}
