/** Aborts `stalled` where nothing moves on for so long. */
export interface ProgressWatch {
  stalled: AbortSignal;
  progressed(): void;
  /** It is not the daemon that is waited for. */
  pause(): void;
}

/** Nothing is waited for until the first `progressed`. */
export function watchProgress(timeoutMs: number): ProgressWatch {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = () => clearTimeout(timer);
  return {
    stalled: controller.signal,
    pause,
    progressed() {
      pause();
      timer = setTimeout(() => controller.abort(), timeoutMs);
    },
  };
}

/** A body to send. */
export interface BodyStream {
  stream: ReadableStream<Uint8Array>;
  /** Throws what the source failed with, where it did. */
  requireSource(): void;
}

/** What is pulled was taken by the daemon; while the source has nothing yet, nobody is late. */
export function streamOf(chunks: AsyncIterable<Uint8Array>, watch: ProgressWatch): BodyStream {
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
        watch.pause();
        const { value, done } = await next();
        watch.progressed();
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
    requireSource() {
      if (fault) throw fault.error;
    },
  };
}
