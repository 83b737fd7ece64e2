/** Aborts `stalled` where nothing moves on for so long. */
export interface IdleTimeout {
  signal: AbortSignal;
  reset(): void;
  /** It is not the daemon that is waited for. */
  clear(): void;
}

/** Nothing is waited for until the first `progressed`. */
export function createIdleTimeout(timeoutMs: number): IdleTimeout {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => clearTimeout(timer);
  return {
    signal: controller.signal,
    clear: pause,
    reset() {
      pause();
      timer = setTimeout(() => controller.abort(), timeoutMs);
    },
  };
}

/** A body to send. */
export interface BodyStream {
  stream: ReadableStream<Uint8Array>;
  /** Throws what the source failed with, where it did. */
  throwSourceError(): void;
}

/** What is pulled was taken by the daemon; while the source has nothing yet, nobody is late. */
export function toReadableStream(chunks: AsyncIterable<Uint8Array>, watch: IdleTimeout): BodyStream {
  const source = chunks[Symbol.asyncIterator]();
  let fault: { error: unknown } | undefined;
  const next = () =>
    source.next().catch((error) => {
      fault = { error };
      throw error;
    });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        watch.clear();
        const { value, done } = await next();
        watch.reset();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        // Not waited for: it may itself be waiting for more to send.
        source.return?.().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    throwSourceError() {
      if (fault) throw fault.error;
    },
  };
}
