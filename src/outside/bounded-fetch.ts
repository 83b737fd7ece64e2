import type { Dispatcher } from 'undici';
import { type JsonLimits, JsonScan } from '../contract/json-scan.ts';
import { eventsWithin } from './event-stream.ts';
import { connectionFault, excessiveResponse, ProviderFault } from './providers/provider-fault.ts';

/** Time and size limits of a response. */
export interface ExchangeLimits {
  /** Time from the request to the first bytes of the response body. */
  firstMs: number;
  /** Between two chunks of the body. */
  idleMs: number;
  wholeMs: number;
  /** After decompression. */
  maxBytes: number;
  /** What a successful response has at most as JSON, or each event of it. Checked before anything parses it. */
  json: JsonLimits;
  /** The response is a stream of server-sent events, each with no more data than this. */
  maxEventBytes?: number;
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
      const { status, statusText, headers, ok } = response;
      return new Response(response.body && boundedBody(response.body, timeouts, limits, ok), {
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

/** The content of an error response is not checked: its status decides, and it may be a page. */
function boundedBody(
  body: ReadableStream<Uint8Array>,
  timeouts: Timeouts,
  { maxBytes, maxEventBytes, json }: ExchangeLimits,
  isSuccessful: boolean,
): ReadableStream<Uint8Array> {
  const chunks = chunksWithin(body, timeouts, maxBytes);
  if (!isSuccessful) return streamOf(chunks, timeouts);
  return streamOf(
    maxEventBytes === undefined ? jsonWithin(chunks, json) : eventsWithin(chunks, maxEventBytes, json),
    timeouts,
  );
}

async function* chunksWithin(
  body: ReadableStream<Uint8Array>,
  timeouts: Timeouts,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw excessiveResponse(`exceeds ${Math.round(maxBytes / 1024)} KiB`);
    timeouts.progress();
    yield chunk;
  }
  timeouts.stop();
}

async function* jsonWithin(chunks: AsyncIterable<Uint8Array>, limits: JsonLimits): AsyncGenerator<Uint8Array> {
  const scan = new JsonScan(limits);
  for await (const chunk of chunks) {
    const fault = scan.read(chunk);
    if (fault !== undefined) throw excessiveResponse(fault);
    yield chunk;
  }
}

function streamOf(pieces: AsyncGenerator<Uint8Array>, timeouts: Timeouts): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await pieces.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          timeouts.abort();
          controller.error(connectionFault(error));
        }
      },
      cancel: () => timeouts.abort(),
    },
    // Read only on demand, so that at most one chunk is buffered.
    { highWaterMark: 0 },
  );
}
