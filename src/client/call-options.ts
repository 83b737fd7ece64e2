import { OWN_SPACE, SPACE_HEADER } from '../contract/space-names.ts';
import type { Fetch } from './fetch.ts';

/** About 25 days. Timers that are set for longer fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface ClientOptions {
  /** Scheme, host and port of the daemon. */
  baseUrl: string;
  apiKey?: string | undefined;
  /** The name or id of the space to act in. Calls about the caller's own account leave it out. */
  space?: string | undefined;
  /** Defaults to the global `fetch`. */
  fetch?: Fetch;
  /** Time limit of a request, 30 s by default; for a streamed body, the longest time without progress. */
  timeoutMs?: number;
  /** How often a call that is safe to repeat is retried, 3 by default. */
  retries?: number;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Injected in tests. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Called before each wait between retries. */
  onWait?: (waitMs: number, reason: Error) => void;
  /** Aborts every call. */
  signal?: AbortSignal;
}

/** Options of a single call, which take precedence over the client's. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: number;
  headers?: Record<string, string>;
  /** The name or id of the space to act in; `default` is the caller's own account. */
  space?: string | undefined;
}

export interface ChangeOptions extends CallOptions {
  /** The `ETag` that was read. The call is rejected if the resource has changed since. */
  ifMatch?: string | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Makes repeating the call safe. Defaults to a new key for each call. */
  idempotencyKey?: string;
}

/** Of calls that decide something: both prevent that it is decided twice. */
export interface DecideOptions extends ChangeOptions, CreateOptions {}

/** The options in force for one call. */
export interface CallSettings {
  signal: AbortSignal | undefined;
  timeoutMs: number;
  retries: number;
  /** Names in lower case. */
  headers: Record<string, string>;
}

export function callSettings(client: ClientOptions, call: DecideOptions = {}): CallSettings {
  const signals = [client.signal, call.signal].filter((signal) => signal !== undefined);
  const space = call.space ?? client.space ?? OWN_SPACE;
  return {
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
    timeoutMs: Math.min(call.timeoutMs ?? client.timeoutMs ?? 30_000, LONGEST_TIMER_MS),
    retries: call.retries ?? client.retries ?? 3,
    headers: {
      ...(client.apiKey !== undefined && { authorization: `Bearer ${client.apiKey.trim()}` }),
      ...(space !== OWN_SPACE && { [SPACE_HEADER]: encodeURIComponent(space) }),
      ...(call.ifMatch !== undefined && { 'if-match': call.ifMatch }),
      ...(call.idempotencyKey !== undefined && { 'idempotency-key': call.idempotencyKey }),
      ...lowerCased(client.headers),
      ...lowerCased(call.headers),
    },
  };
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
