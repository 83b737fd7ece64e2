import { expect } from 'vitest';
import type { Answer } from '../helpers/daemon.ts';

/** Expects the rate limit headers that every response carries, once each and as whole numbers, for the caller's `limit`. */
export function expectRateHeaders(headers: Headers, what: string, limit = 120): void {
  const read = (name: string) => headers.get(name) ?? 'absent';
  const [given, remaining, reset] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map(read);
  for (const value of [given, remaining, reset]) expect(value, what).toMatch(/^\d+$/);
  expect(Number(given), what).toBe(limit);
  expect(Number(remaining), what).toBeLessThanOrEqual(limit);
  expect(read('ratelimit-policy'), what).toBe(`"minute";q=${given};w=60`);
  expect(read('ratelimit'), what).toMatch(new RegExp(`^"minute";r=${remaining};t=([0-9]|[1-5][0-9]|60)$`));
}

/** Expects an error to be a problem document, unless it is a JSON-RPC error. */
export function expectProblem({ status, headers, body, text }: Answer): void {
  if (status < 400 || text === '' || 'jsonrpc' in body) return;
  expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(body).toMatchObject({
    type: `urn:svc:problem:${body.code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    requestId: expect.stringMatching(/^req_[0-9a-f]{32}$/),
  });
}
