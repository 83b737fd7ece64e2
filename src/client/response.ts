import type { Problem } from '../contract/problem.ts';
import { ApiError, UnreachableError } from './errors.ts';
import type { FetchResponse, ResponseHeaders } from './fetch.ts';

/** Metadata of a response. */
export interface ResponseInfo {
  status: number;
  headers: ResponseHeaders;
  /** Identifies the request in the daemon's log. */
  requestId: string | undefined;
  /** The version of the resource, for `ifMatch`. */
  etag: string | undefined;
  /** An earlier call with the same idempotency key was answered with this. */
  replayed: boolean;
}

export interface WithResponse<T> {
  data: T;
  response: ResponseInfo;
}

/**
 * Reads a response. Throws `ApiError` for a problem document, `UnreachableError` if the sender is not svc. With `mayBeGone`,
 * that there is nothing to delete is a success.
 */
export function readResponse<T>(
  response: FetchResponse,
  text: string,
  baseUrl: string,
  mayBeGone = false,
): WithResponse<T> {
  const { ok, status, headers } = response;
  if (!ok) {
    const error = responseError(response, text, baseUrl);
    if (!(mayBeGone && error instanceof ApiError && [404, 410].includes(status))) throw error;
  }
  return {
    data: (text === '' || !ok ? undefined : parseBody(text, baseUrl)) as T,
    response: {
      status,
      headers,
      requestId: headers.get('x-request-id') ?? undefined,
      etag: headers.get('etag') ?? undefined,
      replayed: headers.get('idempotency-replayed') === 'true',
    },
  };
}

/** Returns the error of an unsuccessful response. */
export function responseError(response: FetchResponse, text: string, baseUrl: string): Error {
  const problem = parseProblem(text);
  if (problem) return new ApiError(problem, response);
  return new UnreachableError(`The server at ${baseUrl} is not an svc daemon (HTTP ${response.status}).`);
}

function parseBody(text: string, baseUrl: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreachableError(`The server at ${baseUrl} is not an svc daemon.`, { cause });
  }
}

function parseProblem(text: string): (Problem & Record<string, unknown>) | undefined {
  try {
    const problem = JSON.parse(text);
    return problem.type === `urn:svc:problem:${problem.code}` ? problem : undefined;
  } catch {
    return undefined;
  }
}
