import type { Readable } from 'node:stream';
import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';

export interface BodyLimits {
  /** Longest wait for the next bytes. */
  idleMs: number;
  /** Ends the reading when the daemon stops. */
  stopping: AbortSignal;
  /** Others are waiting for the place that this one has. */
  isCrowded(): boolean;
  clock: Clock;
}

/** What a slow line carries, 256 kbit/s. */
export const SLOWEST_BYTES_PER_MS = 32;

/**
 * The bytes of a request as they come; nothing further is taken off the wire while one who reads is busy. The stream is
 * left open at an early end, so that it can still be answered. Throws `invalid_request` where the bytes stay away, and
 * `unavailable` where the daemon stops or where others wait and the bytes come more slowly than a slow line carries: a
 * few that drip would keep everybody out.
 */
export async function* readBody(body: Readable, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncGenerator<Uint8Array>;
  let leftMs = limits.idleMs;
  try {
    for (;;) {
      const sinceMs = limits.clock.monotonicMs();
      const { value, done } = await arrival(chunks.next(), limits);
      if (done) return;
      const waitedMs = limits.clock.monotonicMs() - sinceMs;
      leftMs = Math.min(limits.idleMs, leftMs - waitedMs + value.length / SLOWEST_BYTES_PER_MS);
      if (leftMs < 0 && limits.isCrowded()) throw tooSlow();
      yield value;
    }
  } finally {
    // Lets go of the stream. Not waited for: it may itself be waiting for bytes that stay away.
    chunks.return(undefined).catch(() => {});
  }
}

function tooSlow(): AppError {
  const message = 'Others are waiting to import, and this file comes too slowly. Send it again in a moment.';
  return new AppError('unavailable', message, { retryAfterSeconds: 5 });
}

function arrival<T>(next: Promise<T>, { idleMs, stopping }: Pick<BodyLimits, 'idleMs' | 'stopping'>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new AppError('invalid_request', 'The request took too long to arrive.'));
    const stopped = () => {
      reject(new AppError('unavailable', 'The daemon is stopping.', { retryAfterSeconds: 5 }));
    };
    const timer = setTimeout(late, idleMs);
    stopping.addEventListener('abort', stopped);
    if (stopping.aborted) stopped();
    next
      .then(resolve, (cause) => {
        reject(new AppError('invalid_request', 'The connection broke before the body was whole.', { cause }));
      })
      .finally(() => {
        clearTimeout(timer);
        stopping.removeEventListener('abort', stopped);
      });
  });
}
