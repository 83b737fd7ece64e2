import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fetch, FetchRequest, FetchResponse } from '../../src/client/client.ts';
import { patient, refusedWaits } from '../../src/dashboard/rate-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const answer = (status: number, code = '', retryAfter?: number): FetchResponse => ({
  ok: status < 400,
  status,
  headers: new Headers(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
  text: async () => JSON.stringify({ code }),
  body: null,
});
const limited = answer(429, 'rate_limited', 2);
const request = (signal = new AbortController().signal): FetchRequest => ({
  ...{ method: 'POST', headers: {}, body: '{}', signal, redirect: 'manual' },
});

/** A `fetch` with these answers, one after the other. */
function scripted(...answers: FetchResponse[]): Fetch {
  return vi.fn(async () => answers.shift()!);
}

describe('a request that the rate limit refuses', () => {
  test('is repeated after Retry-After until it passes, and is announced meanwhile', async () => {
    const fetch = scripted(limited, limited, answer(200));
    const response = patient(fetch)('/x', request());
    await vi.advanceTimersByTimeAsync(1999);
    expect([refusedWaits.value, vi.mocked(fetch).mock.calls.length]).toEqual([[2], 1]);
    await vi.advanceTimersByTimeAsync(2001);
    expect((await response).status).toBe(200);
    expect([refusedWaits.value, vi.mocked(fetch).mock.calls.length]).toEqual([[], 3]);
  });

  test('ends when the caller gives up, and with the refusal when its time is over', async () => {
    const abort = new AbortController();
    const given = patient(scripted(limited))('/x', request(abort.signal)).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    abort.abort(new Error('left'));
    expect(await given).toEqual(new Error('left'));
    const timeout = new AbortController();
    const late = patient(scripted(limited))('/x', request(timeout.signal));
    await vi.advanceTimersByTimeAsync(10);
    timeout.abort(new DOMException('late', 'TimeoutError'));
    expect([(await late).status, await (await late).text()]).toEqual([429, '{"code":"rate_limited"}']);
    expect(refusedWaits.value).toEqual([]);
  });
});

test.each([
  ['a quota', answer(429, 'quota_exceeded', 2)],
  ['a limit that lasts longer', answer(429, 'rate_limited', 3600)],
  ['another error', answer(503, 'unavailable', 2)],
])('%s is answered at once', async (_, refusal) => {
  const fetch = scripted(refusal);
  const response = await patient(fetch)('/x', request());
  expect([response.status, await response.text()]).toEqual([refusal.status, await refusal.text()]);
  expect(refusedWaits.value).toEqual([]);
});
