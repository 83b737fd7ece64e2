import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/** Bounds how much long work goes on at once. */
export interface TransferLimiter {
  /** Takes a place and returns what gives it back. Throws `unavailable` where there is none. */
  take(tenantId: string): () => void;
  isFull(): boolean;
}

const RETRY_AFTER_SECONDS = 5;

/** `most` places, one a tenant, so that nobody takes all of them. */
export function createTransferLimiter(most: number, what: string): TransferLimiter {
  const taken = new Set<string>();
  return {
    take(tenantId) {
      const own = taken.has(tenantId);
      if (own || taken.size >= most) {
        const message = own ? `Another ${what} of this account is under way.` : `Too many ${what}s are under way.`;
        const options = { retryAfterSeconds: RETRY_AFTER_SECONDS };
        throw new AppError('unavailable', `${message} Try again in a moment.`, options);
      }
      taken.add(tenantId);
      return () => taken.delete(tenantId);
    },
    isFull: () => taken.size >= most,
  };
}

/** Runs what it is given one after the other. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}

const STRETCH_MS = 5;

/**
 * The same items, with a turn for everybody else's requests after each stretch: a file may hold a great many that are
 * read without waiting for anything.
 */
export async function* yieldingToOthers<T>(items: AsyncIterable<T>, clock: Clock): AsyncGenerator<T> {
  let sinceMs = clock.monotonicMs();
  for await (const item of items) {
    yield item;
    if (clock.monotonicMs() - sinceMs < STRETCH_MS) continue;
    await nextTurn();
    sinceMs = clock.monotonicMs();
  }
}
