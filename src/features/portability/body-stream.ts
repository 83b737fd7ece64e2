import type { Readable } from 'node:stream';
import { AppError } from '../../contract/errors.ts';

export interface BodyLimits {
  /** Longest wait for the next bytes. */
  idleMs: number;
  /** Ends the reading when the daemon stops. */
  stopping: AbortSignal;
}

/**
 * The bytes of a request as they come; nothing further is taken off the wire while one who reads is busy. The stream is
 * left open at an early end, so that it can still be answered. Throws `invalid_request` where the bytes stay away and
 * `unavailable` where the daemon stops.
 */
export async function* readBody(body: Readable, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncGenerator<Uint8Array>;
  try {
    for (;;) {
      const { value, done } = await arrival(chunks.next(), limits);
      if (done) return;
      yield value;
    }
  } finally {
    // Lets go of the stream. Not waited for: it may itself be waiting for bytes that stay away.
    chunks.return(undefined).catch(() => {});
  }
}

function arrival<T>(next: Promise<T>, { idleMs, stopping }: BodyLimits): Promise<T> {
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
