import type { ErrorCode, FieldError } from '../contract/errors.ts';
import type { Problem } from '../contract/problem.ts';
import type { ResponseHeaders } from './fetch.ts';

/** The daemon rejected the call. `message` says what is wrong and what to do next. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Newer daemons may have codes that this version of the client does not know. */
  readonly code: ErrorCode | (string & {});
  readonly detail: string;
  /** Which fields are invalid, and why. */
  readonly errors: FieldError[];
  /** Identifies the request in the daemon's log. */
  readonly requestId: string;
  readonly headers: ResponseHeaders;
  /** The whole problem document, which may have more members, such as `resetsAt` of a quota. */
  readonly problem: Problem & Record<string, unknown>;
  /** From `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(problem: Problem & Record<string, unknown>, { status, headers }: ErrorResponse) {
    super(problem.detail);
    this.status = status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.requestId = problem.requestId;
    this.headers = headers;
    this.problem = problem;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
  }
}

interface ErrorResponse {
  status: number;
  headers: ResponseHeaders;
}

/** No daemon at the address, or the connection broke. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** The request timed out, so a retry would likely take as long. */
  readonly timedOut: boolean;

  constructor(message: string, options: ErrorOptions & { timedOut?: boolean } = {}) {
    super(message, options);
    this.timedOut = options.timedOut ?? false;
  }
}
