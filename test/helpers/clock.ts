import type { Clock } from '../../src/lib/clock.ts';

/** A clock that the test moves. Untouched it runs with the machine's. */
export interface TestClock extends Clock {
  /** Both clocks go on by so much. */
  advance(ms: number): void;
  /** Only the wall clock jumps, as when somebody sets it. */
  setWall(epochMs: number): void;
  /** Both stand still from now on; `advance` and `setWall` still move them. */
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
