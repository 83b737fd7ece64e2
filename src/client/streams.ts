import { type ApiPromise, apiPromise } from './api-promise.ts';
import {
  type CallOptions,
  type CallSettings,
  type ClientOptions,
  type CreateOptions,
  callSettings,
} from './call-options.ts';
import { type ConnectionErrors, connectionErrors } from './connection-errors.ts';
import type { Fetch, FetchRequest } from './fetch.ts';
import { createIdleTimeout, toReadableStream } from './idle-timeout.ts';
import { readResponse, responseError, type WithResponse } from './response.ts';
import { withRetries } from './retries.ts';

interface Streams extends ClientOptions {
  fetch: Fetch;
}

interface StreamedCall {
  url: string;
  streams: Streams;
  settings: CallSettings;
}

/** Creates the calls whose request or response is streamed. Their time limit is the longest time without progress. */
export function createStreams(streams: Streams) {
  const callOf = (path: string, options?: CreateOptions): StreamedCall => {
    return { url: streams.baseUrl + path, streams, settings: callSettings(streams, options) };
  };
  return {
    /** Yields a streamed response. Leaving the loop early cancels the request. */
    download: (path: string, options?: CallOptions): AsyncGenerator<Uint8Array> => download(callOf(path, options)),
    /** Sends a file. A stream is sent once; a `Blob` is retried like any other call. */
    upload<T>(path: string, body: AsyncIterable<Uint8Array> | Blob, options: CreateOptions = {}): ApiPromise<T> {
      const headers = { 'content-type': 'application/octet-stream', ...options.headers };
      const call = callOf(path, { ...options, headers });
      if (!(body instanceof Blob)) return apiPromise(uploadStream<T>(call, body));
      const limited = options.timeoutMs !== undefined;
      return apiPromise(withRetries(() => uploadBlob<T>(call, body, limited), call.settings, streams));
    },
  };
}

async function* download(call: StreamedCall): AsyncGenerator<Uint8Array> {
  const { idle, request, errors } = requestOf(call);
  const connect = async () => {
    idle.reset();
    const response = await call.streams.fetch(call.url, { ...request, method: 'GET' }).catch(errors.refused);
    if (!response.ok) throw responseError(response, await response.text().catch(errors.lost), call.streams.baseUrl);
    return response;
  };
  try {
    const response = await withRetries(() => connect().finally(idle.clear), call.settings, call.streams);
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

/** Sends a stream and reads the response, which may arrive before the stream ends. */
async function uploadStream<T>(call: StreamedCall, chunks: AsyncIterable<Uint8Array>): Promise<WithResponse<T>> {
  const { idle, request, errors } = requestOf(call);
  const { stream, throwSourceError } = toReadableStream(chunks, idle);
  const orSourceError = (thrower: (cause: unknown) => never) => (cause: unknown) => {
    throwSourceError();
    return thrower(cause);
  };
  try {
    const response = await call.streams
      .fetch(call.url, { ...request, method: 'POST', body: stream, duplex: 'half' })
      .catch(orSourceError(errors.refused));
    const text = await response.text().catch(orSourceError(errors.lost));
    return readResponse(response, text, call.streams.baseUrl);
  } finally {
    idle.clear();
  }
}

/** Sends a body as a whole. Its progress cannot be seen, so there is a time limit only if the caller set one. */
async function uploadBlob<T>(call: StreamedCall, body: Blob, limited: boolean): Promise<WithResponse<T>> {
  const { idle, request, errors } = requestOf(call);
  try {
    if (limited) idle.reset();
    const response = await call.streams.fetch(call.url, { ...request, method: 'POST', body }).catch(errors.refused);
    return readResponse(response, await response.text().catch(errors.lost), call.streams.baseUrl);
  } finally {
    idle.clear();
  }
}

function requestOf({ streams: { baseUrl }, settings: { signal, timeoutMs, headers } }: StreamedCall) {
  const idle = createIdleTimeout(timeoutMs);
  const request: Pick<FetchRequest, 'redirect' | 'headers' | 'signal'> = {
    redirect: 'manual',
    headers,
    signal: signal ? AbortSignal.any([signal, idle.signal]) : idle.signal,
  };
  const errors: ConnectionErrors = connectionErrors({ baseUrl, signal, timeout: idle.signal, timeoutMs });
  return { idle, request, errors };
}
