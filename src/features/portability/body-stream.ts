import type { Readable } from 'node:stream';
import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';

export interface BodyLimits {
  /** Longest wait for the next bytes. */
  idleMs: number;
  /** Aborted when the daemon stops. */
  stopping: AbortSignal;
  /** Whether other requests are waiting for a slot. */
  isCrowded(): boolean;
  clock: Clock;
}

/** The slowest accepted transfer rate: 256 kbit/s. */
export const MIN_BYTES_PER_MS = 32;

/**
 * Yields the bytes of a request with backpressure. Leaves the stream open when the consumer stops early, so that the
 * request can still be answered. Throws `invalid_request` if no bytes arrive for `idleMs`, and `unavailable` if the
 * daemon stops, or if others are waiting and the bytes arrive below the slowest accepted rate: otherwise a few slow
 * clients could hold every slot.
 */
export async function* readBody(body: Readable, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncGenerator<Uint8Array>;
  let leftMs = limits.idleMs;
  try {
    for (;;) {
      const sinceMs = limits.clock.monotonicMs();
      const { value, done } = await nextChunk(chunks.next(), limits);
      if (done) return;
      const waitedMs = limits.clock.monotonicMs() - sinceMs;
      leftMs = Math.min(limits.idleMs, leftMs - waitedMs + value.length / MIN_BYTES_PER_MS);
      if (leftMs < 0 && limits.isCrowded()) throw tooSlow();
      yield value;
    }
  } finally {
    // Releases the stream. Not awaited: it may itself be waiting for bytes that never arrive.
    chunks.return(undefined).catch(() => {});
  }
}

function tooSlow(): AppError {
  const message = 'The file arrives too slowly while other imports are waiting. Try again in a moment.';
  return new AppError('unavailable', message, { retryAfterSeconds: 5 });
}

function nextChunk<T>(next: Promise<T>, { idleMs, stopping }: Pick<BodyLimits, 'idleMs' | 'stopping'>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timedOut = () => reject(new AppError('invalid_request', 'The request took too long to arrive.'));
    const stopped = () => {
      reject(new AppError('unavailable', 'The daemon is stopping.', { retryAfterSeconds: 5 }));
    };
    const timer = setTimeout(timedOut, idleMs);
    stopping.addEventListener('abort', stopped);
    if (stopping.aborted) stopped();
    next
      .then(resolve, (cause) => {
        reject(new AppError('invalid_request', 'The connection closed before the body was complete.', { cause }));
      })
      .finally(() => {
        clearTimeout(timer);
        stopping.removeEventListener('abort', stopped);
      });
  });
}
