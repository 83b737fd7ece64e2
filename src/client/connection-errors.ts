import { UnreachableError } from './errors.ts';

/** Handlers of a rejected `fetch`, which throw the error that the caller sees. */
export interface ConnectionErrors {
  refused(cause: unknown): never;
  lost(cause: unknown): never;
}

interface Attempt {
  baseUrl: string;
  /** The caller's signal: if it aborted, its reason is thrown. */
  signal: AbortSignal | undefined;
  timeout: AbortSignal;
  timeoutMs: number;
}

export function connectionErrors({ baseUrl, signal, timeout, timeoutMs }: Attempt): ConnectionErrors {
  const thrower = (message: string) => (cause: unknown) => {
    if (signal?.aborted) throw signal.reason;
    if (!timeout.aborted) throw new UnreachableError(message, { cause });
    const timedOutMessage = `The svc daemon at ${baseUrl} did not respond within ${timeoutMs / 1000} s.`;
    throw new UnreachableError(timedOutMessage, { cause, timedOut: true });
  };
  return {
    refused: thrower(`No svc daemon responds at ${baseUrl}.`),
    lost: thrower(`The connection to ${baseUrl} was lost.`),
  };
}
