import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/** Bounds how many transfers run at once. */
export interface TransferLimiter {
  /**
   * Takes a slot and returns the function that releases it. Throws `activeCode` if `key` has one already, and
   * `unavailable` if no slot is free.
   */
  acquire(key: string): () => void;
  /** Whether another waits for the slot of `key`: because no slot is free, or because it was refused this one. */
  isAwaited(key: string): boolean;
}

const RETRY_AFTER_SECONDS = 5;

/** Creates a limiter with `maxConcurrent` slots, of which each key (a tenant, say) can hold one. `what` names the work in errors. */
export function createTransferLimiter(
  maxConcurrent: number,
  what: string,
  activeCode: ErrorCode = 'unavailable',
): TransferLimiter {
  /** Whether others were refused meanwhile, by key. */
  const active = new Map<string, boolean>();
  return {
    acquire(key) {
      if (active.has(key)) {
        active.set(key, true);
        throw transferActive(what, activeCode);
      }
      if (active.size >= maxConcurrent) throw refusal('unavailable', `Too many ${what}s are running.`);
      active.set(key, false);
      return () => active.delete(key);
    },
    isAwaited: (key) => active.size >= maxConcurrent || active.get(key) === true,
  };
}

/** The error for a tenant that has a transfer already, here or on another daemon. */
export function transferActive(what: string, code: ErrorCode): AppError {
  return refusal(code, `Another ${what} of this account is already running.`);
}

function refusal(code: ErrorCode, message: string): AppError {
  return new AppError(code, `${message} Try again in a moment.`, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Creates a function that runs at most `slots` pieces of async work at once, in the order of the calls. */
export function createSemaphore(slots: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = slots;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

const MAX_BLOCKING_MS = 5;

/**
 * Passes items through and yields to the event loop every few milliseconds, so that a long file whose items never await
 * I/O does not delay other requests.
 */
export async function* yieldToEventLoop<T>(items: AsyncIterable<T>, clock: Clock): AsyncGenerator<T> {
  let sinceMs = clock.monotonicMs();
  for await (const item of items) {
    yield item;
    if (clock.monotonicMs() - sinceMs < MAX_BLOCKING_MS) continue;
    await nextTurn();
    sinceMs = clock.monotonicMs();
  }
}
