import { AppError, ERRORS, type ErrorCode } from '../contract/errors.ts';
import type { Problem } from '../contract/problem.ts';
import { createIdleTimeout, toReadableStream } from './idle-timeout.ts';

/** There is no daemon at the address, or the connection broke. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** The whole time allowed went by without an answer: asking again would take as long. */
  readonly timedOut: boolean;

  constructor(message: string, options: ErrorOptions & { timedOut?: boolean } = {}) {
    super(message, options);
    this.timedOut = options.timedOut ?? false;
  }
}

/** What of the platform's `fetch` is needed; that fits, and so does something lighter. */
export type Fetch = (
  url: string,
  request: {
    method: string;
    headers: Record<string, string>;
    /** A stream is sent as it comes, with `duplex`. */
    body?: string | ReadableStream<Uint8Array>;
    duplex?: 'half';
    signal: AbortSignal;
    redirect: 'manual';
  },
) => Promise<FetchResponse>;

export interface FetchResponse {
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** The answer as it comes, instead of `text`. */
  body: ReadableStream<Uint8Array> | null;
}

export interface TransportOptions {
  /** Scheme, host and port of the daemon. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** The `fetch` to use; the platform's own where absent. */
  fetch?: Fetch;
  /** A request that takes longer is given up; what streams, where it stands still for so long. */
  timeoutMs?: number;
  /** How often a call that may be repeated is repeated. */
  retries?: number;
  /** Waits; replaced in tests. */
  sleep?: (ms: number) => Promise<void>;
  /** Told of each wait before a call is repeated, e.g. to say so to a person. */
  onWait?: (waitMs: number, reason: Error) => void;
  /** Ends every call. */
  signal?: AbortSignal;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A resource with the `ETag` under which it can be changed or deleted. */
export interface Tagged<T> {
  body: T;
  etag: string | undefined;
}

/** The answer to a creating call; `replayed` where an earlier call under the same idempotency key had made it. */
export interface Created<T> {
  body: T;
  replayed: boolean;
}

const LONGEST_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 250;
const LONGEST_BACK_OFF_MS = 5000;
/** A daemon that restarts is back by then; one that is not there is told so soon. */
const CONNECTION_RETRIES = 3;
/** These POSTs create nothing. */
const ASKING = new Set(['/v1/search', '/v1/context']);
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * What sends one call and reads its answer. Throws `AppError` for a refusal, `UnreachableError` where no daemon answers
 * (a proxy's error page included) and the signal's reason where the caller gave up.
 */
export function createTransport(options: TransportOptions) {
  const { timeoutMs = 30_000, retries = 3, sleep = wait, onWait, signal } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const fetchIt: Fetch = options.fetch ?? fetch;

  /** What a failure of a request means, whose time is watched by `timeout`. */
  const broken = (message: string, timeout: AbortSignal) => (cause: unknown) => {
    if (signal?.aborted) throw signal.reason;
    if (!timeout.aborted) throw new UnreachableError(message, { cause });
    const late = `The svc daemon at ${baseUrl} did not answer within ${timeoutMs / 1000} s.`;
    throw new UnreachableError(late, { cause, timedOut: true });
  };
  const untilEnd = (timeout: AbortSignal) => (signal ? AbortSignal.any([signal, timeout]) : timeout);
  const authorization: Record<string, string> =
    options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };

  async function once<T>(
    method: Method,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<Tagged<T> & Created<T>> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const response = await fetchIt(baseUrl + path, {
      method,
      redirect: 'manual',
      signal: untilEnd(timeout),
      headers: {
        ...headers,
        ...authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(broken(`No svc daemon answers at ${baseUrl}.`, timeout));
    const text = await response.text().catch(broken(`The connection to ${baseUrl} broke.`, timeout));
    if (!response.ok) throw refusalOf(response, text, baseUrl);
    const answer = text === '' ? undefined : parseAnswer(text, baseUrl);
    return {
      body: answer as T,
      etag: response.headers.get('etag') ?? undefined,
      replayed: response.headers.get('idempotency-replayed') === 'true',
    };
  }

  /** A streamed answer; read it to its end or leave the loop, which ends the request. */
  async function* download(path: string): AsyncGenerator<Uint8Array> {
    const watch = createIdleTimeout(timeoutMs);
    try {
      const response = await patiently(async () => {
        watch.reset();
        const request = { method: 'GET', redirect: 'manual', signal: untilEnd(watch.signal), headers: authorization };
        const answer = await fetchIt(baseUrl + path, request as Parameters<Fetch>[1]).catch(
          broken(`No svc daemon answers at ${baseUrl}.`, watch.signal),
        );
        if (!answer.ok) throw refusalOf(answer, await answer.text(), baseUrl);
        return answer;
      }, watch.clear);
      const reader = response.body!.getReader();
      try {
        for (;;) {
          watch.reset();
          const { value, done } = await reader
            .read()
            .catch(broken(`The connection to ${baseUrl} broke.`, watch.signal));
          watch.clear();
          if (done) return;
          yield value;
        }
      } finally {
        await reader.cancel().catch(() => {});
      }
    } finally {
      watch.clear();
    }
  }

  /** Sends a stream once and reads the answer, which may come before all is sent. */
  async function upload<T>(path: string, chunks: AsyncIterable<Uint8Array>): Promise<T> {
    const watch = createIdleTimeout(timeoutMs);
    const { stream, throwSourceError: requireSource } = toReadableStream(chunks, watch);
    const failed = (message: string) => (cause: unknown) => {
      requireSource();
      return broken(message, watch.signal)(cause);
    };
    try {
      const response = await fetchIt(baseUrl + path, {
        method: 'POST',
        redirect: 'manual',
        signal: untilEnd(watch.signal),
        headers: { ...authorization, 'content-type': 'application/octet-stream' },
        body: stream,
        duplex: 'half',
      }).catch(failed(`No svc daemon answers at ${baseUrl}.`));
      const text = await response.text().catch(failed(`The connection to ${baseUrl} broke.`));
      if (!response.ok) throw refusalOf(response, text, baseUrl);
      return parseAnswer(text, baseUrl) as T;
    } finally {
      watch.clear();
    }
  }

  /** Repeats what did not arrive, or what the daemon could not do at the moment. */
  async function patiently<T>(work: () => Promise<T>, onFailure = () => {}): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        onFailure();
        const pauseMs = pauseAfter(error, attempt);
        if (pauseMs === undefined || attempt >= retries || signal?.aborted) throw error;
        onWait?.(pauseMs, error as Error);
        await sleep(pauseMs);
      }
    }
  }

  return {
    download,
    upload,
    /** One call; reading, changing and deleting may be repeated as they are, other POSTs are not. */
    async send<T>(method: Method, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
      const work = () => once<T>(method, path, body, headers);
      const repeatable = method !== 'POST' || ASKING.has(path);
      return (repeatable ? await patiently(work) : await work()).body;
    },
    /** Reads a resource together with its `ETag`. */
    read: <T>(path: string): Promise<Tagged<T>> => patiently(() => once<T>('GET', path, undefined, {})),
    /** A creating call under an idempotency key, which makes repeating it safe. */
    create<T>(
      path: string,
      body: unknown,
      { idempotencyKey = crypto.randomUUID() }: { idempotencyKey?: string } = {},
    ): Promise<Created<T>> {
      return patiently(() => once<T>('POST', path, body, { 'idempotency-key': idempotencyKey }));
    },
  };
}

/** How long to wait before the next try; `undefined` where trying again would not help. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  const backOffMs = Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_BACK_OFF_MS);
  if (error instanceof UnreachableError) {
    return error.timedOut || attempt >= CONNECTION_RETRIES ? undefined : backOffMs;
  }
  if (!(error instanceof AppError)) return undefined;
  const { retryAfterSeconds } = error.options;
  const askedMs = (retryAfterSeconds ?? 0) * 1000;
  // A conflict that names a time is an earlier try of the same call, which is still under way.
  const underWay = error.code === 'conflict' && retryAfterSeconds !== undefined;
  const passing = error.code === 'rate_limited' || error.code === 'unavailable' || underWay;
  return passing && askedMs <= LONGEST_WAIT_MS ? Math.max(askedMs, backOffMs) : undefined;
}

function parseAnswer(text: string, baseUrl: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreachableError(`What answers at ${baseUrl} is no svc daemon.`, { cause });
  }
}

function refusalOf(response: FetchResponse, text: string, baseUrl: string): Error {
  const problem = problemIn(text);
  if (!problem) return new UnreachableError(`What answers at ${baseUrl} is no svc daemon (HTTP ${response.status}).`);
  const { code, detail, errors, type: _, title: __, status: ___, requestId: ____, ...extra } = problem;
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new AppError(code as ErrorCode, detail, {
    ...(errors && { errors }),
    ...(Number.isFinite(retryAfterSeconds) && { retryAfterSeconds }),
    extra,
  });
}

function problemIn(text: string): Problem | undefined {
  try {
    const problem = JSON.parse(text) as Partial<Problem>;
    return problem.code !== undefined && Object.hasOwn(ERRORS, problem.code) ? (problem as Problem) : undefined;
  } catch {
    return undefined;
  }
}
