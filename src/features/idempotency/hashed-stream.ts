import { createHash } from 'node:crypto';

/** A stream of bytes that is hashed while it is read. */
export interface HashedStream {
  /** Reading it may end early: `finish` reads the rest. */
  stream: AsyncIterable<Uint8Array>;
  /** Reads what is left and returns the hash of all bytes. */
  finish(): Promise<string>;
  close(): Promise<void>;
}

/** Hashes `prefix`, then the bytes of the body. */
export function createHashedStream(body: AsyncIterable<Uint8Array>, prefix: string): HashedStream {
  const hash = createHash('sha256').update(prefix);
  const bytes = body[Symbol.asyncIterator]();
  async function next(): Promise<IteratorResult<Uint8Array>> {
    const result = await bytes.next();
    if (!result.done) hash.update(result.value);
    return result;
  }
  return {
    stream: { [Symbol.asyncIterator]: () => ({ next }) },
    async finish() {
      while (!(await next()).done);
      return hash.digest('hex');
    },
    async close() {
      await bytes.return?.();
    },
  };
}
