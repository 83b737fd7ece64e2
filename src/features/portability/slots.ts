import { AppError } from '../../contract/errors.ts';

/** Bounds how much long work goes on at once. */
export interface Slots {
  /** Takes a place and returns what gives it back. Throws `unavailable` where there is none. */
  take(tenantId: string): () => void;
  isFull(): boolean;
}

const RETRY_AFTER_SECONDS = 5;

/** `most` places, one a tenant, so that nobody takes all of them. */
export function createSlots(most: number, what: string): Slots {
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
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
