import type { Clock } from '../../src/lib/clock.ts';

/** A clock that tests can move; otherwise it follows the system clock. */
export interface TestClock extends Clock {
  /** Advances both the wall clock and the monotonic clock. */
  advance(ms: number): void;
  /** Moves only the wall clock, as when somebody sets it. */
  setWall(epochMs: number): void;
  /** Stops both clocks; `advance` and `setWall` still move them. */
  freeze(): void;
}

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
    freeze() {
      frozen = { wallMs: wallMs(), monotonicMs: monotonicMs() };
    },
  };
}
