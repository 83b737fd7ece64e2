import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/** Bounds how many transfers run at once. */
export interface TransferLimiter {
  /**
   * Takes a slot and returns the function that releases it. Throws `activeCode` if the tenant has one already, and
   * `unavailable` if no slot is free.
   */
  acquire(tenantId: string): () => void;
  isFull(): boolean;
}

const RETRY_AFTER_SECONDS = 5;

/** Creates a limiter with `maxConcurrent` slots, of which each tenant can hold one. `what` names the work in errors. */
export function createTransferLimiter(
  maxConcurrent: number,
  what: string,
  activeCode: ErrorCode = 'unavailable',
): TransferLimiter {
  const active = new Set<string>();
  return {
    acquire(tenantId) {
      if (active.has(tenantId)) throw transferActive(what, activeCode);
      if (active.size >= maxConcurrent) throw refusal('unavailable', `Too many ${what}s are running.`);
      active.add(tenantId);
      return () => active.delete(tenantId);
    },
    isFull: () => active.size >= maxConcurrent,
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
