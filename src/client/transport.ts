import { AppError } from '../contract/errors.ts';
import { createIdleTimeout, toReadableStream } from './idle-timeout.ts';
import { type FetchResponse, parseBody, responseError, UnreachableError } from './response.ts';

export { type FetchResponse, UnreachableError } from './response.ts';

/** The subset of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  request: {
    method: string;
    headers: Record<string, string>;
    /** A stream needs `duplex`. */
    body?: string | ReadableStream<Uint8Array>;
    duplex?: 'half';
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<FetchResponse>;

export interface TransportOptions {
  /** Scheme, host and port of the daemon. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** Defaults to the global `fetch`. */
  fetch?: Fetch;
  /** Time limit of a request; for a streamed body, the longest time without progress. */
  timeoutMs?: number;
  /** How often a call that is safe to repeat is retried. */
  retries?: number;
  /** Injected in tests. */
  sleep?: (ms: number) => Promise<void>;
  /** Called before each wait between retries. */
  onWait?: (waitMs: number, reason: Error) => void;
  /** Aborts every call. */
  signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A resource with the `ETag` under which it can be changed or deleted. */
export interface Tagged<T> {
  body: T;
  etag: string | undefined;
}

/** The result of a creating call. `replayed` if an earlier call with the same idempotency key already created it. */
export interface Created<T> {
  body: T;
  replayed: boolean;
}

const MAX_RETRY_AFTER_MS = 30_000;
const INITIAL_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5000;
/** Enough for a daemon to restart, few enough to report a missing one soon. */
const CONNECTION_RETRIES = 3;
/** POST routes that create nothing and are therefore safe to repeat. */
const READ_ONLY_POSTS = new Set(['/v1/search', '/v1/context']);
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Creates the functions that send a call and read its response. They throw `AppError` if the daemon rejects the call,
 * `UnreachableError` if no daemon responds (a proxy's error page included), and the signal's reason if the caller aborts.
 */
export function createTransport(options: TransportOptions) {
  const { timeoutMs = 30_000, retries = 3, sleep = wait, onWait, signal } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const fetchFn: Fetch = options.fetch ?? fetch;

  /** Converts a failed request to the error to throw; `timeout` tells whether it timed out. */
  const connectionError = (message: string, timeout: AbortSignal) => (cause: unknown) => {
    if (signal?.aborted) throw signal.reason;
    if (!timeout.aborted) throw new UnreachableError(message, { cause });
    const timedOutMessage = `The svc daemon at ${baseUrl} did not respond within ${timeoutMs / 1000} s.`;
    throw new UnreachableError(timedOutMessage, { cause, timedOut: true });
  };
  const withCallerSignal = (timeout: AbortSignal) => (signal ? AbortSignal.any([signal, timeout]) : timeout);
  const authorization: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };

  async function once<T>(
    method: Method,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Tagged<T> & Created<T>> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await fetchFn(baseUrl + path, {
      method,
      redirect: 'manual',
      signal: withCallerSignal(timeout),
      headers: {
        ...headers,
        ...authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(connectionError(`No svc daemon responds at ${baseUrl}.`, timeout));
    const text = await response.text().catch(connectionError(`The connection to ${baseUrl} was lost.`, timeout));
    if (!response.ok) throw responseError(response, text, baseUrl);
    const parsed = text === '' ? undefined : parseBody(text, baseUrl);
    return {
      body: parsed as T,
      etag: response.headers.get('etag') ?? undefined,
      replayed: response.headers.get('idempotency-replayed') === 'true',
    };
  }

  /** Yields a streamed response. Leaving the loop early cancels the request. */
  async function* download(path: string): AsyncGenerator<Uint8Array> {
    const idle = createIdleTimeout(timeoutMs);
    try {
      const response = await withRetries(async () => {
        idle.reset();
        const request = {
          method: 'GET',
          redirect: 'manual',
          signal: withCallerSignal(idle.signal),
          headers: authorization,
        };
        const answer = await fetchFn(baseUrl + path, request as Parameters<Fetch>[1]).catch(
          connectionError(`No svc daemon responds at ${baseUrl}.`, idle.signal),
        );
        if (!answer.ok) throw responseError(answer, await answer.text(), baseUrl);
        return answer;
      }, idle.clear);
      const reader = response.body!.getReader();
      try {
        for (;;) {
          idle.reset();
          const { value, done } = await reader
            .read()
            .catch(connectionError(`The connection to ${baseUrl} was lost.`, idle.signal));
          idle.clear();
          if (done) return;
          yield value;
        }
      } finally {
        await reader.cancel().catch(() => {});
      }
    } finally {
      idle.clear();
    }
  }

  /** Sends a stream, without retries, and reads the response, which may arrive before the stream ends. */
  async function upload<T>(path: string, chunks: AsyncIterable<Uint8Array>): Promise<T> {
    const idle = createIdleTimeout(timeoutMs);
    const { stream, throwSourceError: requireSource } = toReadableStream(chunks, idle);
    const failed = (message: string) => (cause: unknown) => {
      requireSource();
      return connectionError(message, idle.signal)(cause);
    };
    try {
      const response = await fetchFn(baseUrl + path, {
        method: 'POST',
        redirect: 'manual',
        signal: withCallerSignal(idle.signal),
        headers: { ...authorization, 'content-type': 'application/octet-stream' },
        body: stream,
        duplex: 'half',
      }).catch(failed(`No svc daemon responds at ${baseUrl}.`));
      const text = await response.text().catch(failed(`The connection to ${baseUrl} was lost.`));
      if (!response.ok) throw responseError(response, text, baseUrl);
      return parseBody(text, baseUrl) as T;
    } finally {
      idle.clear();
    }
  }

  /** Retries after connection failures and transient errors of the daemon. */
  async function withRetries<T>(work: () => Promise<T>, onFailure = () => {}): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        onFailure();
        const delayMs = retryDelayMs(error, attempt);
        if (delayMs === undefined || attempt >= retries || signal?.aborted) throw error;
        onWait?.(delayMs, error as Error);
        await sleep(delayMs);
      }
    }
  }

  return {
    download,
    upload,
    /** Sends a call. GET, PUT, PATCH, DELETE and read-only POSTs are retried; other POSTs are not. */
    async send<T>(method: Method, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
      const work = () => once<T>(method, path, body, headers);
      const repeatable = method !== 'POST' || READ_ONLY_POSTS.has(path);
      return (repeatable ? await withRetries(work) : await work()).body;
    },
    /** Reads a resource with its `ETag`. */
    read: <T>(path: string): Promise<Tagged<T>> => withRetries(() => once<T>('GET', path, undefined, {})),
    /** Sends a creating call with an idempotency key, which makes retrying it safe. */
    create<T>(
      path: string,
      body: unknown,
      { idempotencyKey = crypto.randomUUID() }: { idempotencyKey?: string } = {},
    ): Promise<Created<T>> {
      return withRetries(() => once<T>('POST', path, body, { 'idempotency-key': idempotencyKey }));
    },
  };
}

/** Returns the delay before the next attempt, or `undefined` if retrying would not help. */
function retryDelayMs(error: unknown, attempt: number): number | undefined {
  const backoffMs = Math.min(INITIAL_BACKOFF_MS * 2 ** attempt, MAX_BACKOFF_MS);
  if (error instanceof UnreachableError) {
    return error.timedOut || attempt >= CONNECTION_RETRIES ? undefined : backoffMs;
  }
  if (!(error instanceof AppError)) return undefined;
  const { retryAfterSeconds } = error.options;
  const retryAfterMs = (retryAfterSeconds ?? 0) * 1000;
  // A conflict with Retry-After means that an earlier attempt of the same call is still in progress.
  const inProgress = error.code === 'conflict' && retryAfterSeconds !== undefined;
  const transient = error.code === 'rate_limited' || error.code === 'unavailable' || inProgress;
  return transient && retryAfterMs <= MAX_RETRY_AFTER_MS ? Math.max(retryAfterMs, backoffMs) : undefined;
}
