import { AppError, ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Problem } from '../contract/problem.ts';

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

export interface FetchResponse {
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** The streamed response, as an alternative to `text`. */
  body: ReadableStream<Uint8Array> | null;
}

/** Throws `UnreachableError` for a body that is not JSON. */
export function parseBody(text: string, baseUrl: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreachableError(`The server at ${baseUrl} is not an svc daemon.`, { cause });
  }
}

/** The error of an unsuccessful response. */
export function responseError(response: FetchResponse, text: string, baseUrl: string): Error {
  const problem = parseProblem(text);
  if (!problem) return new UnreachableError(`The server at ${baseUrl} is not an svc daemon (HTTP ${response.status}).`);
  const { code, detail, errors, type: _, title: __, status: ___, requestId: ____, ...extra } = problem;
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new AppError(code as ErrorCode, detail, {
    ...(errors && { errors }),
    ...(Number.isFinite(retryAfterSeconds) && { retryAfterSeconds }),
    extra,
  });
}

function parseProblem(text: string): Problem | undefined {
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    return problem.code !== undefined && Object.hasOwn(ERRORS, problem.code) ? (problem as Problem) : undefined;
  } catch {
    return undefined;
  }
}
