import { type ApiPromise, apiPromise, type Page, type PagePromise, pagePromise } from './api-promise.ts';
import { type CallOptions, type ClientOptions, callSettings, type DecideOptions } from './call-options.ts';
import { type ConnectionErrors, connectionErrors } from './connection-errors.ts';
import type { Fetch } from './fetch.ts';
import { readResponse } from './response.ts';
import { randomKey, sleep, withRetries } from './retries.ts';
import { createStreams } from './streams.ts';

export type Transport = ReturnType<typeof createTransport>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Whether a POST route changes nothing and is therefore safe to repeat. */
export const isReadOnlyPost = (path: string): boolean =>
  ['/v1/search', '/v1/context', '/v1/memories/query'].includes(path);

/**
 * Creates the functions that send a call and read its response. They throw `ApiError` if the daemon rejects the call,
 * `UnreachableError` if no daemon responds (a proxy's error page included), and the signal's reason if the caller aborts.
 */
export function createTransport(options: ClientOptions) {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  // The error of `fetch` would show the key.
  if (options.apiKey !== undefined && !/^[\x20-\x7e]*$/.test(options.apiKey.trim())) {
    throw new TypeError('The API key has characters that no key has: copy it again.');
  }
  // Browsers refuse to call `fetch` as a method of another object.
  const fetchFn: Fetch = options.fetch ?? ((url, request) => fetch(url, request));

  /** Sends a call. GET, PUT, PATCH, DELETE, read-only POSTs and those with an idempotency key are retried. */
  function send<T>(method: Method, path: string, body?: unknown, call: DecideOptions = {}): ApiPromise<T> {
    const settings = callSettings(options, call);
    const once = async (wasLost = false) => {
      const { signal, errors } = timeLimited(settings, baseUrl);
      const response = await fetchFn(baseUrl + path, {
        method,
        redirect: 'manual',
        signal,
        headers: { ...settings.headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: JSON.stringify(body),
      }).catch(errors.refused);
      const text = await response.text().catch(errors.lost);
      return readResponse<T>(response, text, baseUrl, wasLost && method === 'DELETE');
    };
    const repeatable = method !== 'POST' || isReadOnlyPost(path) || call.idempotencyKey !== undefined;
    return apiPromise(repeatable ? withRetries(once, settings, options, method) : once());
  }

  return {
    send,
    /** Sends a call that creates or decides with an idempotency key, which makes retrying it safe. */
    create: <T>(path: string, body: unknown, call: DecideOptions = {}): ApiPromise<T> =>
      send('POST', path, body, { ...call, idempotencyKey: call.idempotencyKey ?? randomKey() }),
    /** Requests the first page of a list; the others follow as the caller iterates. */
    list: <T>(path: string, query: object = {}, call?: CallOptions): PagePromise<T> =>
      pagePromise((cursor) =>
        send<Page<T>>(
          'GET',
          path + queryString({ ...query, ...(cursor !== undefined && { cursor }) }),
          undefined,
          call,
        ),
      ),
    ...createStreams({ ...options, baseUrl, fetch: fetchFn }),
    sleep: options.sleep ?? sleep,
  };
}

function timeLimited(
  { signal, timeoutMs }: { signal: AbortSignal | undefined; timeoutMs: number },
  baseUrl: string,
): { signal: AbortSignal; errors: ConnectionErrors } {
  const timeout = AbortSignal.timeout(timeoutMs);
  return {
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    errors: connectionErrors({ baseUrl, signal, timeout, timeoutMs }),
  };
}

/** Builds `?name=value&…` from the defined properties. An array repeats its name; an object gives `name.key=value`. */
export function queryString(query: object): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => {
      if (value instanceof Date) return [[name, value.toISOString()]];
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (isObject) return Object.entries(value).map(([key, one]) => [`${name}.${key}`, String(one)]);
      return [value].flat().map((one) => [name, String(one)]);
    });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
