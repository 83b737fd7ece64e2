import { signal } from '@preact/signals';
import type { Fetch, FetchResponse } from '../client/client.ts';
import { sleep } from '../client/retries.ts';

/** The requests that the rate limit refused and that wait to be repeated, as the seconds that each waits. */
export const refusedWaits = signal<readonly number[]>([]);

/** A longer wait, such as for a quota of the day, is for a person to decide. */
const MAX_WAIT_SECONDS = 30;

/**
 * Wraps a `fetch` to repeat what the rate limit refused after `Retry-After`: a refused request did nothing. Returns the
 * refusal where the request's time is over first, and throws the signal's reason if the caller gave up.
 */
export function patient(fetch: Fetch): Fetch {
  return async (url, request) => {
    for (;;) {
      const response = await fetch(url, request);
      if (response.status !== 429 || request.body instanceof ReadableStream) return response;
      const text = await response.text();
      const refusal: FetchResponse = { ...pick(response), text: async () => text, body: null };
      const seconds = waitSecondsOf(response, text);
      if (seconds === undefined) return refusal;
      refusedWaits.value = [...refusedWaits.peek(), seconds];
      try {
        await sleep(seconds * 1000, request.signal);
      } catch (reason) {
        if ((reason as Error | undefined)?.name === 'TimeoutError') return refusal;
        throw reason;
      } finally {
        const waits = [...refusedWaits.peek()];
        waits.splice(waits.indexOf(seconds), 1);
        refusedWaits.value = waits;
      }
    }
  };
}

function pick({ ok, status, headers }: FetchResponse): Pick<FetchResponse, 'ok' | 'status' | 'headers'> {
  return { ok, status, headers };
}

function waitSecondsOf({ headers }: FetchResponse, text: string): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return /"code":\s*"rate_limited"/.test(text) && seconds <= MAX_WAIT_SECONDS ? Math.max(1, seconds) : undefined;
}
