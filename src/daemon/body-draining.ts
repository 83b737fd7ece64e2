import type { IncomingMessage } from 'node:http';

/** Bounds of what is read of a body that is too large. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MS = 5000;

/**
 * Reads and discards the rest of a body, up to a bound. Many clients read the response only when they have sent all of
 * their body: closing the connection earlier would break it before they see why.
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve();
    let bytes = 0;
    const finish = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', finish).off('close', finish).off('error', finish);
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) finish();
    };
    const timer = setTimeout(finish, MAX_MS);
    request.on('data', count).once('end', finish).once('close', finish).once('error', finish).resume();
  });
}
