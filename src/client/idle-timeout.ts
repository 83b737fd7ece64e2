/** Aborts `signal` if there is no progress for a given time. */
export interface IdleTimeout {
  signal: AbortSignal;
  reset(): void;
  /** Stops the timer, while the daemon is not what we are waiting for. */
  clear(): void;
}

/** Creates an idle timeout. The timer starts at the first `reset`. */
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

/** A streamed request body. */
export interface BodyStream {
  stream: ReadableStream<Uint8Array>;
  /** Throws the source's own error, if it failed. */
  throwSourceError(): void;
}

/** Streams chunks on demand. The timer runs while the daemon consumes data, not while the source produces it. */
export function toReadableStream(chunks: AsyncIterable<Uint8Array>, idle: IdleTimeout): BodyStream {
  const source = chunks[Symbol.asyncIterator]();
  let failure: { error: unknown } | undefined;
  const next = () =>
    source.next().catch((error) => {
      failure = { error };
      throw error;
    });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        idle.clear();
        const { value, done } = await next();
        idle.reset();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        // Not awaited: the source may itself be waiting for more data.
        source.return?.().catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    throwSourceError() {
      if (failure) throw failure.error;
    },
  };
}
