import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../lib/clock.ts';

/** Refusals that a caller gets at once, and one more per interval afterwards. */
const BURST = 20;
const INTERVAL_MS = 100;
const MAX_WAIT_MS = 2000;
const MAX_CALLERS = 50_000;

/** Waits for a caller's next refusal. */
export type RefusalPace = (caller: string) => Promise<void>;

/**
 * Slows down callers that keep sending past their rate limit: each refusal takes processor time from everyone else, and
 * a caller that waits for it sends nothing over that connection.
 */
export function createRefusalPace(clock: Clock, wait: (ms: number) => Promise<void> = sleep): RefusalPace {
  /** When the next refusal of each caller is due, in the order of their last refusals. */
  const dueMs = new Map<string, number>();
  return async (caller) => {
    const nowMs = clock.monotonicMs();
    const due = Math.max(dueMs.get(caller) ?? 0, nowMs - BURST * INTERVAL_MS) + INTERVAL_MS;
    dueMs.delete(caller);
    dueMs.set(caller, Math.min(due, nowMs + MAX_WAIT_MS));
    for (const [oldest, oldestMs] of dueMs) {
      if (oldestMs > nowMs - BURST * INTERVAL_MS && dueMs.size <= MAX_CALLERS) break;
      dueMs.delete(oldest);
    }
    if (due > nowMs) await wait(Math.min(due - nowMs, MAX_WAIT_MS));
  };
}
