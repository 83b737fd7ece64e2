import { expect } from 'vitest';

/** What every answer carries, of every status and route, as whole numbers and once each; `limit` of which caller. */
export function expectRateHeaders(headers: Headers, what: string, limit = 120): void {
  const read = (name: string) => headers.get(name) ?? 'absent';
  const [given, remaining, reset] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'].map(read);
  for (const value of [given, remaining, reset]) expect(value, what).toMatch(/^\d+$/);
  expect(Number(given), what).toBe(limit);
  expect(Number(remaining), what).toBeLessThanOrEqual(limit);
  expect(read('ratelimit-policy'), what).toBe(`"minute";q=${given};w=60`);
  expect(read('ratelimit'), what).toMatch(new RegExp(`^"minute";r=${remaining};t=([0-9]|[1-5][0-9]|60)$`));
}
