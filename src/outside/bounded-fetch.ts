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
const fetchWith = undiciFetch as unknown as (
  input: string | URL | Request,
  init: RequestInit & { dispatcher: Dispatcher },
) => Promise<Response>;

/** A fetch by `dispatcher` that keeps to the limits, follows no redirect, and throws nothing but `ProviderFault`. */
export function boundedFetch(dispatcher: Dispatcher, limits: ExchangeLimits): typeof fetch {
  return async (input, init) => {
    const timeouts = startTimeouts(limits, init?.signal ?? undefined);
    try {
      const response = await fetchWith(input, { ...init, dispatcher, redirect: 'manual', signal: timeouts.signal });
      if (response.status >= 300 && response.status < 400) throw redirected(response.status);
      const { status, statusText, headers } = response;
      return new Response(response.body && boundedBody(response.body, timeouts, limits.maxBytes), {
        status,
        statusText,
        headers,
      });
    } catch (error) {
      timeouts.abort();
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

function tooLarge(maxBytes: number): ProviderFault {
  const size = `${Math.round(maxBytes / 1024)} KiB`;
  return new ProviderFault('failed', `The provider answers with more than ${size}. Check the base URL and the model.`);
}

type Timeouts = ReturnType<typeof startTimeouts>;

function startTimeouts({ firstMs, idleMs, wholeMs }: ExchangeLimits, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const timeOut = () => end(new ProviderFault('slow', 'The provider gave no response in time. Try again later.'));
  const cancel = () => end(new ProviderFault('slow', 'The provider was not waited for any longer.'));
  const whole = setTimeout(timeOut, wholeMs);
  let idle = setTimeout(timeOut, firstMs);

  function stop(): void {
    clearTimeout(whole);
    clearTimeout(idle);
    outer?.removeEventListener('abort', cancel);
  }

  function end(reason?: ProviderFault): void {
    stop();
    controller.abort(reason);
  }

  if (outer?.aborted) cancel();
  else outer?.addEventListener('abort', cancel);
  return {
    signal: controller.signal,
    /** Something came. */
    progress() {
      clearTimeout(idle);
      idle = setTimeout(timeOut, idleMs);
    },
    /** All came. */
    stop,
    /** Nothing more is wanted: the connection ends. */
    abort: () => end(),
  };
}

function boundedBody(
  body: ReadableStream<Uint8Array>,
  timeouts: Timeouts,
  maxBytes: number,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    const { done, value } = await reader.read();
    if (done) {
      timeouts.stop();
      controller.close();
      return;
    }
    bytes += value.length;
    if (bytes > maxBytes) {
      throw tooLarge(maxBytes);
    }
    timeouts.progress();
    controller.enqueue(value);
  }

  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          timeouts.abort();
          controller.error(connectionFault(error));
        }),
      cancel: () => timeouts.abort(),
    },
    // Reads on only when asked, so that no more than one piece waits.
    { highWaterMark: 0 },
  );
}
