import type { SearchTimings } from '../../contract/search.ts';
import type { Clock } from '../../lib/clock.ts';

/** Measures the stages of one search. */
export interface StageTimings {
  /** Ends a stage, which began when the previous one ended. */
  end(stage: Exclude<keyof SearchTimings, 'totalMs'>): void;
  /** The stages that have ended; 0 for others. */
  timings(): SearchTimings;
}

/** Begins with the first stage. */
export function createStageTimings(clock: Pick<Clock, 'monotonicMs'>): StageTimings {
  const startMs = clock.monotonicMs();
  let lastMs = startMs;
  const timings: SearchTimings = {
    ...{ queryMs: 0, waitMs: 0, candidatesMs: 0, signalsMs: 0, rankMs: 0, resultsMs: 0, totalMs: 0 },
  };
  return {
    end(stage) {
      const nowMs = clock.monotonicMs();
      timings[stage] = roundMs(nowMs - lastMs);
      timings.totalMs = roundMs(nowMs - startMs);
      lastMs = nowMs;
    },
    timings: () => ({ ...timings }),
  };
}

/** Two decimals. */
function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
