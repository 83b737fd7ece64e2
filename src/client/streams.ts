import { type ApiPromise, apiPromise } from './api-promise.ts';
import {
  type CallOptions,
  type CallSettings,
  type ClientOptions,
  type CreateOptions,
  callSettings,
} from './call-options.ts';
import { connectionErrors } from './connection-errors.ts';
import type { Fetch, FetchRequest } from './fetch.ts';
import { createIdleTimeout, type IdleTimeout, toReadableStream } from './idle-timeout.ts';
import { readResponse, responseError, type WithResponse } from './response.ts';
import { withRetries } from './retries.ts';

interface Streams extends ClientOptions {
  fetch: Fetch;
}

/** Creates the calls whose request or response is streamed. Their time limit is the longest time without progress. */
export function createStreams(options: Streams) {
  const { baseUrl } = options;

  function prepare({ signal, timeoutMs, headers }: CallSettings, idle: IdleTimeout) {
    const request = {
      redirect: 'manual',
      headers,
      signal: signal ? AbortSignal.any([signal, idle.signal]) : idle.signal,
    } as const satisfies Partial<FetchRequest>;
    return { request, errors: connectionErrors({ baseUrl, signal, timeout: idle.signal, timeoutMs }) };
  }

  /** Yields a streamed response. Leaving the loop early cancels the request. */
  async function* download(path: string, call?: CallOptions): AsyncGenerator<Uint8Array> {
    const settings = callSettings(options, call);
    const idle = createIdleTimeout(settings.timeoutMs);
    const { request, errors } = prepare(settings, idle);
    const connect = async () => {
      idle.reset();
      const response = await options.fetch(baseUrl + path, { ...request, method: 'GET' }).catch(errors.refused);
      if (!response.ok) throw responseError(response, await response.text(), baseUrl);
      return response;
    };
    try {
      const response = await withRetries(() => connect().finally(idle.clear), settings, options);
      const reader = response.body!.getReader();
      try {
        for (;;) {
          idle.reset();
          const { value, done } = await reader.read().catch(errors.lost);
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

  /** Sends a stream once and reads the response, which may arrive before the stream ends. */
  async function uploadStream<T>(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    settings: CallSettings,
  ): Promise<WithResponse<T>> {
    const idle = createIdleTimeout(settings.timeoutMs);
    const { request, errors } = prepare(settings, idle);
    const { stream, throwSourceError } = toReadableStream(chunks, idle);
    const orSourceError = (thrower: (cause: unknown) => never) => (cause: unknown) => {
      throwSourceError();
      return thrower(cause);
    };
    try {
      const response = await options
        .fetch(baseUrl + path, { ...request, method: 'POST', body: stream, duplex: 'half' })
        .catch(orSourceError(errors.refused));
      return readResponse(response, await response.text().catch(orSourceError(errors.lost)), baseUrl);
    } finally {
      idle.clear();
    }
  }

  /** Sends a body as a whole, without a time limit unless the call has one. */
  async function uploadBlob<T>(path: string, body: Blob, settings: CallSettings, limited: boolean) {
    const idle = createIdleTimeout(settings.timeoutMs);
    const { request, errors } = prepare(settings, idle);
    try {
      if (limited) idle.reset();
      const response = await options.fetch(baseUrl + path, { ...request, method: 'POST', body }).catch(errors.refused);
      return readResponse<T>(response, await response.text().catch(errors.lost), baseUrl);
    } finally {
      idle.clear();
    }
  }

  return {
    download,
    /** Sends a file. A stream is sent once; a `Blob`, which can be read again, is retried like any other call. */
    upload<T>(path: string, body: AsyncIterable<Uint8Array> | Blob, call: CreateOptions = {}): ApiPromise<T> {
      const settings = callSettings(options, {
        ...call,
        headers: { 'content-type': 'application/octet-stream', ...call.headers },
      });
      if (!(body instanceof Blob)) return apiPromise(uploadStream<T>(path, body, settings));
      const limited = call.timeoutMs !== undefined;
      return apiPromise(withRetries(() => uploadBlob<T>(path, body, settings, limited), settings, options));
    },
  };
}
