/** Timers of Node and browsers that are to run longer fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Returns how long to wait after so many consecutive `failures`, in whole milliseconds: a delay that doubles from
 * `firstMs` to `maxMs`, with jitter over its upper half, and never less than `retryAfterMs`, which the other side asks
 * for. `chance` is from 0 to 1. "Equal jitter" in Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 * At most `LONGEST_TIMER_MS`.
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: BackoffRange,
  chance: number,
  retryAfterMs = 0,
): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** (failures - 1));
  return Math.min(LONGEST_TIMER_MS, Math.ceil(Math.max(retryAfterMs, (fullMs / 2) * (1 + chance))));
}

/** The longest delay after the first failure, and after any. */
export interface BackoffRange {
  firstMs: number;
  maxMs: number;
}
