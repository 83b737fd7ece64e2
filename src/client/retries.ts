import { backoffMs } from '../lib/backoff.ts';
import type { CallSettings, ClientOptions } from './call-options.ts';
import { ApiError, UnreachableError } from './errors.ts';

const MAX_RETRY_AFTER_MS = 30_000;
const BACKOFF = { firstMs: 250, maxMs: 5000 };
/** Enough for a daemon to restart, few enough to report a missing one soon. */
const CONNECTION_RETRIES = 3;
const OUTCOME_UNKNOWN = 'The answer was lost, so the change may have been made. Read it again before you repeat it.';

/** A random number from 0 to 1, for backoff. */
export const chance = () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32;

/** A random idempotency key. Pages that are served without TLS have no `crypto.randomUUID`. */
export const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Waits. Throws the signal's reason if it aborts before the time is over. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Repeats `work` with backoff after connection failures and transient errors of the daemon, and tells it whether an answer
 * was lost. A precondition that fails then, or a conflict of a PATCH, is reported as a lost connection: the attempt whose
 * answer was lost may have made the change itself.
 */
export async function withRetries<T>(
  work: (wasLost: boolean) => Promise<T>,
  { retries, signal }: CallSettings,
  { onWait, sleep: pause = sleep }: Pick<ClientOptions, 'onWait' | 'sleep'>,
  method?: string,
): Promise<T> {
  for (let attempt = 0, wasLost = false; ; attempt += 1) {
    try {
      return await work(wasLost);
    } catch (error) {
      if (wasLost && error instanceof ApiError) {
        const isOwn = error.code === 'precondition_failed' || (method === 'PATCH' && error.code === 'conflict');
        if (isOwn) throw new UnreachableError(OUTCOME_UNKNOWN, { cause: error });
      }
      wasLost ||= error instanceof UnreachableError;
      const delayMs = retryDelayMs(error, attempt);
      if (delayMs === undefined || attempt >= retries || signal?.aborted) throw error;
      onWait?.(delayMs, error as Error);
      await pause(delayMs, signal);
    }
  }
}

/** Whether the daemon refused because it starts, is busy or its rate limit is used up. */
export const isBusy = (error: unknown): boolean =>
  error instanceof ApiError && ['rate_limited', 'unavailable'].includes(error.code);

/** Returns the delay before the next attempt, or `undefined` if retrying would not help. */
function retryDelayMs(error: unknown, attempt: number): number | undefined {
  const delayMs = (retryAfterMs?: number) => backoffMs(attempt + 1, BACKOFF, chance(), retryAfterMs);
  if (error instanceof UnreachableError) {
    return error.timedOut || attempt >= CONNECTION_RETRIES ? undefined : delayMs();
  }
  if (!(error instanceof ApiError)) return undefined;
  const { retryAfterSeconds } = error;
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1000;
  // A conflict with Retry-After means that an earlier attempt of the same call is still in progress.
  const passes = isBusy(error) || (error.code === 'conflict' && retryAfterSeconds !== undefined);
  return passes && retryAfterMs <= MAX_RETRY_AFTER_MS ? delayMs(retryAfterMs) : undefined;
}
