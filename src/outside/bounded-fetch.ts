import { type Dispatcher, fetch as undiciFetch } from 'undici';
import { connectionFault, ProviderFault } from './providers/provider-fault.ts';

/** How long an answer may take and how large it may be. */
export interface ExchangeLimits {
  /** From the request to the first bytes of the answer's body. */
  firstMs: number;
  /** Between two pieces of it. */
  idleMs: number;
  wholeMs: number;
  /** After decompression. */
  maxBytes: number;
}

/** Undici's, whose types differ from those of the platform in name only. */
const fetchBy = undiciFetch as unknown as (
  input: string | URL | Request,
  init: RequestInit & { dispatcher: Dispatcher },
) => Promise<Response>;

/** A fetch by `dispatcher` that keeps to the limits, follows no redirect, and throws nothing but `ProviderFault`. */
export function boundedFetch(dispatcher: Dispatcher, limits: ExchangeLimits): typeof fetch {
  return async (input, init) => {
    const watch = startWatch(limits, init?.signal ?? undefined);
    try {
      const answer = await fetchBy(input, { ...init, dispatcher, redirect: 'manual', signal: watch.signal });
      if (answer.status >= 300 && answer.status < 400) throw redirected(answer.status);
      const { status, statusText, headers } = answer;
      return new Response(answer.body && bounded(answer.body, watch, limits.maxBytes), { status, statusText, headers });
    } catch (error) {
      watch.giveUp();
      throw connectionFault(error);
    }
  };
}

function redirected(status: number): ProviderFault {
  return new ProviderFault(
    'failed',
    `The provider answers with a redirect (status ${status}), which svc does not follow. Check the base URL.`,
  );
}

function tooMuch(maxBytes: number): ProviderFault {
  const size = `${Math.round(maxBytes / 1024)} KiB`;
  return new ProviderFault('failed', `The provider answers with more than ${size}. Check the base URL and the model.`);
}

type Watch = ReturnType<typeof startWatch>;

function startWatch({ firstMs, idleMs, wholeMs }: ExchangeLimits, outer: AbortSignal | undefined) {
  const ending = new AbortController();
  const tooSlow = () => end(new ProviderFault('slow', 'The provider gave no answer in time. Try again later.'));
  const unwanted = () => end(new ProviderFault('slow', 'The provider was not waited for any longer.'));
  const whole = setTimeout(tooSlow, wholeMs);
  let quiet = setTimeout(tooSlow, firstMs);

  function stop(): void {
    clearTimeout(whole);
    clearTimeout(quiet);
    outer?.removeEventListener('abort', unwanted);
  }

  function end(reason?: ProviderFault): void {
    stop();
    ending.abort(reason);
  }

  if (outer?.aborted) unwanted();
  else outer?.addEventListener('abort', unwanted);
  return {
    signal: ending.signal,
    /** Something came. */
    heard() {
      clearTimeout(quiet);
      quiet = setTimeout(tooSlow, idleMs);
    },
    /** All came. */
    stop,
    /** Nothing more is wanted: the connection ends. */
    giveUp: () => end(),
  };
}

function bounded(body: ReadableStream<Uint8Array>, watch: Watch, maxBytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { done, value } = await reader.read();
    if (done) {
      watch.stop();
      controller.close();
      return;
    }
    bytes += value.length;
    if (bytes > maxBytes) {
      throw tooMuch(maxBytes);
    }
    watch.heard();
    controller.enqueue(value);
  }

  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          watch.giveUp();
          controller.error(connectionFault(error));
        }),
      cancel: () => watch.giveUp(),
    },
    // Reads on only when asked, so that no more than one piece waits.
    { highWaterMark: 0 },
  );
}
