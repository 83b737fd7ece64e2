import type { Dispatcher } from 'undici';
import { connectionFault, ProviderFault } from './providers/provider-fault.ts';

/** Time and size limits of a response. */
export interface ExchangeLimits {
  /** Time from the request to the first bytes of the response body. */
  firstMs: number;
  /** Between two chunks of the body. */
  idleMs: number;
  wholeMs: number;
  /** After decompression. */
  maxBytes: number;
}

/** Undici, loaded with the first request: most daemons send none for hours. */
export const loadUndici = async () => (await import('undici')).default;

/** Undici's fetch; its types differ from the platform's in name only. */
type FetchWith = (input: string | URL | Request, init: RequestInit & { dispatcher: Dispatcher }) => Promise<Response>;

/**
 * Returns a fetch through the dispatcher that `open` returns, which enforces the limits, follows no redirects, and throws
 * only `ProviderFault`.
 */
export function boundedFetch(open: () => Promise<Dispatcher>, limits: ExchangeLimits): typeof fetch {
  return async (input, init) => {
    const fetchWith = (await loadUndici()).fetch as unknown as FetchWith;
    const dispatcher = await open();
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
    `The provider responded with a redirect (status ${status}), which svc does not follow. Check the base URL.`,
  );
}

function tooLarge(maxBytes: number): ProviderFault {
  const size = `${Math.round(maxBytes / 1024)} KiB`;
  return new ProviderFault('failed', `The provider response exceeds ${size}. Check the base URL and the model.`);
}

type Timeouts = ReturnType<typeof startTimeouts>;

function startTimeouts({ firstMs, idleMs, wholeMs }: ExchangeLimits, outer: AbortSignal | undefined) {
  const controller = new AbortController();
  const timeOut = () => end(new ProviderFault('slow', 'The provider did not respond in time. Try again later.'));
  const cancel = () => end(new ProviderFault('slow', 'The request to the provider was aborted.'));
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
    /** Call when data arrives: restarts the idle timeout. */
    progress() {
      clearTimeout(idle);
      idle = setTimeout(timeOut, idleMs);
    },
    /** Call when the body is complete. */
    stop,
    /** Aborts the request and closes the connection. */
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
    // Read only on demand, so that at most one chunk is buffered.
    { highWaterMark: 0 },
  );
}
