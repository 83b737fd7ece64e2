import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { countByStatus, makeTenant, times } from './tenants.ts';

const HOUR_MS = 3_600_000;
let daemon: TestDaemon;

/** A daemon that trusts a proxy on its own machine. */
let proxied: TestDaemon;

beforeAll(async () => {
  [daemon, proxied] = await Promise.all([startTestDaemon(), startTestDaemon({ config: { trustProxy: ['loopback'] } })]);
});

afterAll(() => Promise.all([daemon.close(), proxied.close()]));

/** Refills every bucket and freezes time. */
beforeEach(() => {
  for (const { clock } of [daemon, proxied]) {
    clock.freeze();
    clock.advance(120_000);
  }
});

const getAccount = (apiKey: string | undefined) => daemon.call(apiKey, '/v1/account');

const header = (answer: Answer, name: string) => Number(answer.headers.get(name));

/** Pipelines GET requests over one connection. Returns the number of responses by status. */
async function pipeline(heads: readonly string[], to = daemon): Promise<Record<number, number>> {
  const socket = connect(Number(new URL(to.baseUrl).port), '127.0.0.1');
  const counts: Record<number, number> = {};
  let seen = 0;
  let rest = '';
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`The daemon hung up after ${seen} answers`)));
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const status = Number(/HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? 0);
        if (status === 0) continue;
        counts[status] = (counts[status] ?? 0) + 1;
        seen += 1;
      }
      if (seen === heads.length) resolve();
    });
    for (const head of heads) socket.write(`GET /v1/account HTTP/1.1\r\nHost: svc\r\n${head}\r\n`);
  });
  socket.destroy();
  return counts;
}

describe('past the limit', () => {
  test('of 121 concurrent requests on Free, 120 pass, and another half a second later', async () => {
    const { apiKey } = await makeTenant(daemon, 'a@example.com');
    const other = await makeTenant(daemon, 'b@example.com');
    const answers = await times(121, () => getAccount(apiKey));
    expect(countByStatus(answers)).toEqual({ 200: 120, 429: 1 });
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(header(refused, 'retry-after')).toBe(1);
    expect(header(refused, 'x-ratelimit-remaining')).toBe(0);
    expect(answers.map((answer) => header(answer, 'x-ratelimit-remaining')).sort((a, b) => a - b)).toEqual([
      0,
      ...Array.from({ length: 120 }, (_, index) => index),
    ]);
    daemon.clock.advance(499);
    expect((await getAccount(apiKey)).status).toBe(429);
    daemon.clock.advance(1);
    expect((await getAccount(apiKey)).status).toBe(200);
    expect((await getAccount(apiKey)).status).toBe(429);
    expect((await getAccount(other.apiKey)).status).toBe(200);
  });

  test('rejected requests cost no tokens: a minute later the whole limit is available', async () => {
    const { apiKey } = await makeTenant(daemon, 'a@example.com');
    await times(120, () => getAccount(apiKey));
    for (let second = 0; second < 3; second += 1) {
      expect(countByStatus(await times(10, () => getAccount(apiKey)))).toEqual({ 429: 10 });
    }
    daemon.clock.advance(60_000);
    expect(countByStatus(await times(121, () => getAccount(apiKey)))).toEqual({ 200: 120, 429: 1 });
  });

  test('hundreds of concurrent requests get no more than the limit plus refilled tokens', async () => {
    const { apiKey } = await makeTenant(daemon, 'hundreds@example.com');
    const other = await makeTenant(daemon, 'beside@example.com');
    // Time advances meanwhile, one token per step.
    const tokens = 12;
    const ticking = times(tokens, async (index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 20));
      daemon.clock.advance(500);
    });
    const counts = countByStatus(await times(300, () => getAccount(apiKey)));
    await ticking;
    expect((counts[200] ?? 0) + (counts[429] ?? 0)).toBe(300);
    expect(counts[200]).toBeGreaterThanOrEqual(120);
    expect(counts[200]).toBeLessThanOrEqual(120 + tokens);
    expect((await getAccount(other.apiKey)).status).toBe(200);
  });

  test('MCP and all other routes share one bucket', async () => {
    const { apiKey } = await makeTenant(daemon, 'a@example.com');
    const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const headers = { accept: 'application/json, text/event-stream' };
    await times(60, () => getAccount(apiKey));
    await times(30, () => daemon.call(apiKey, '/v1/mcp', { body: ping, headers }));
    await times(30, () => daemon.call(apiKey, '/nothing-here'));
    expect((await daemon.call(apiKey, '/v1/mcp', { body: ping, headers })).status).toBe(429);
    expect((await getAccount(apiKey)).status).toBe(429);
    expect((await daemon.call(apiKey, '/nothing-here')).status).toBe(429);
  });
});

describe('setting the system clock', () => {
  test.each([HOUR_MS, -HOUR_MS])('by %i ms neither locks callers out nor allows a second burst', async (jumpMs) => {
    const { apiKey } = await makeTenant(daemon, 'a@example.com');
    await times(120, () => getAccount(apiKey));
    daemon.clock.setWall(daemon.clock.nowMs() + jumpMs);
    expect((await getAccount(apiKey)).status).toBe(429);
    daemon.clock.advance(500);
    const next = await getAccount(apiKey);
    expect(next.status).toBe(200);
    expect(header(next, 'x-ratelimit-reset')).toBe(Math.ceil(daemon.clock.nowMs() / 1000 + 60));
    expect((await getAccount(apiKey)).status).toBe(429);
  });
});

describe('a caller without a key', () => {
  const madeUp = (index: number) => `X-Forwarded-For: 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}\r\n`;

  test('is counted by its own address, regardless of X-Forwarded-For', async () => {
    const { apiKey } = await makeTenant(daemon, 'a@example.com');
    const counts = await pipeline(Array.from({ length: 130 }, (_, index) => madeUp(index)));
    expect(counts).toEqual({ 401: 120, 429: 10 });
    expect((await getAccount(undefined)).status).toBe(429);
    expect((await getAccount(apiKey)).status).toBe(200);
  });

  test('is counted by the address that a trusted proxy reports', async () => {
    const apart = Array.from({ length: 130 }, (_, index) => madeUp(index));
    expect(await pipeline(apart, proxied)).toEqual({ 401: 130 });
    // Addresses that the caller puts before the one added by the proxy do not count.
    const spoofed = Array.from({ length: 130 }, (_, index) => `X-Forwarded-For: 10.9.9.${index}, 203.0.113.7\r\n`);
    expect(await pipeline(spoofed, proxied)).toEqual({ 401: 120, 429: 10 });
    expect(await pipeline(['X-Forwarded-For: 203.0.113.8\r\n'], proxied)).toEqual({ 401: 1 });
  });

  test.each([
    ['one /64 is one caller', (n: number) => `2001:db8:1:2:${n.toString(16)}::1`, { 401: 120, 429: 10 }],
    ['two /64s are two', (n: number) => `2001:db8:1:${n % 2}::${n.toString(16)}`, { 401: 130 }],
    [
      'an IPv4 address mapped into IPv6 is the same caller',
      (n: number) => (n % 2 ? '::ffff:198.51.100.1' : '198.51.100.1'),
      { 401: 120, 429: 10 },
    ],
    ['two mapped IPv4 addresses are two', (n: number) => `::ffff:198.51.100.${n % 2}`, { 401: 130 }],
    [
      'a port added by the proxy does not make a new caller',
      (n: number) => `198.51.100.9:${1024 + n}`,
      { 401: 120, 429: 10 },
    ],
    ['text that is not an address is one caller', (n: number) => `made-up-${n}`, { 401: 120, 429: 10 }],
  ])('behind a trusted proxy: %s', async (_, addressOf, expected) => {
    const heads = Array.from({ length: 130 }, (_none, index) => `X-Forwarded-For: ${addressOf(index)}\r\n`);
    expect(await pipeline(heads, proxied)).toEqual(expected);
  });

  test('is counted by address with an invalid key too, and a valid key from that address has its own limit', async () => {
    const { apiKey } = await makeTenant(daemon, 'a@example.com');
    const wrong = await times(130, (index) => getAccount(`svc_live_${index.toString(16).padStart(32, '0')}`));
    expect(countByStatus(wrong)).toEqual({ 401: 120, 429: 10 });
    expect(header(await getAccount(apiKey), 'x-ratelimit-remaining')).toBe(119);
  });
});

describe('a dead key retried past the limit from one address', () => {
  const email = 'owner@example.com';
  const deadKey = async () => {
    const { apiKey } = await makeTenant(daemon, email);
    await makeTenant(daemon, email);
    return apiKey;
  };

  test('gets 401 up to the limit and 429 past it, with the headers of one bucket', async () => {
    const apiKey = await deadKey();
    const answers = await times(200, () => getAccount(apiKey));
    expect(countByStatus(answers)).toEqual({ 401: 120, 429: 80 });
    expect(answers.map((answer) => header(answer, 'x-ratelimit-remaining')).sort((a, b) => a - b)).toEqual([
      ...Array(80).fill(0),
      ...Array.from({ length: 120 }, (_, index) => index),
    ]);
    for (const answer of answers) {
      expect(header(answer, 'x-ratelimit-limit')).toBe(120);
      expect(header(answer, 'x-ratelimit-reset')).toBeGreaterThan(daemon.clock.nowMs() / 1000);
    }
  });

  test('leaves its owner at that address able to open the page and the documentation and to sign in', async () => {
    const apiKey = await deadKey();
    const key = `Authorization: Bearer ${apiKey}\r\n`;
    expect(await pipeline(Array(200).fill(key))).toEqual({ 401: 120, 429: 80 });

    for (const path of ['/dashboard', '/dashboard/pages.css', '/docs', '/v1/openapi.json']) {
      expect([path, (await daemon.call(undefined, path)).status]).toEqual([path, 200]);
    }
    const { apiKey: newKey } = await daemon.signIn(email);
    expect((await getAccount(newKey)).status).toBe(200);
    expect((await getAccount(apiKey)).status).toBe(429);
  });

  test.each([
    ['a malformed key', 'Bearer nonsense'],
    ['an empty key', 'Bearer '],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
  ])('%s is counted like it', async (_, authorization) => {
    expect(await pipeline(Array(130).fill(`Authorization: ${authorization}\r\n`))).toEqual({ 401: 120, 429: 10 });
    expect(header(await daemon.call(undefined, '/v1/openapi.json'), 'x-ratelimit-remaining')).toBe(119);
  });
});

describe('changing the tier mid-window', () => {
  test.each([
    ['Free', 'Pro', 120, 480],
    ['Free', 'Enterprise', 120, 2880],
    ['Pro', 'Free', 100, 20],
    ['Pro', 'Free', 121, 0],
    ['Enterprise', 'Free', 121, 0],
  ] as const)('from %s to %s after %i requests leaves %i', async (from, to, used, left) => {
    const { apiKey, tenantId } = await makeTenant(daemon, 'a@example.com', from);
    const key = `Authorization: Bearer ${apiKey}\r\n`;
    expect(await pipeline(Array.from({ length: used }, () => key))).toEqual({ 200: used });
    await daemon.accounts.setTier(tenantId, to);
    const limit = { Free: 120, Pro: 600, Enterprise: 3000 }[to];
    const first = await getAccount(apiKey);
    expect(header(first, 'x-ratelimit-limit')).toBe(limit);
    expect(header(first, 'x-ratelimit-remaining')).toBe(Math.max(0, left - 1));
    expect(first.status).toBe(left > 0 ? 200 : 429);
    const reset = header(first, 'x-ratelimit-reset') - daemon.clock.nowMs() / 1000;
    expect(reset).toBeLessThanOrEqual(61);
    daemon.clock.advance(500);
    expect((await getAccount(apiKey)).status).toBe(200);
    if (first.status === 200) expect(first.body).toMatchObject({ tier: to, limits: { requestsPerMinute: limit } });
  });
});
