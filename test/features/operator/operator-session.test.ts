import { get } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OperatorSession } from '../../../src/contract/operator.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { type Browser, openBrowser, SAME_ORIGIN } from '../connections/browser.ts';
import { OPERATOR_REQUESTS, openOperatorPage, operatorTicket, redeem } from './operator-page.ts';

let daemon: TestDaemon;
let apiKey: string;
let browser: Browser;
beforeAll(async () => {
  daemon = await startTestDaemon();
  daemon.clock.freeze();
  apiKey = (await daemon.signIn('grace@example.com')).apiKey;
  browser = await openBrowser(daemon, { apiKey });
});
afterAll(() => daemon.close());
// Requests of an address are limited.
beforeEach(() => daemon.clock.advance(60_000));

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const nowhere = async () => {
  const { requestId, ...problem } = (await daemon.call(undefined, '/v1/nothing-here')).body;
  return problem;
};

describe('a ticket', () => {
  test('opens a session once, in a separate cookie that scripts cannot read', async () => {
    const ticket = await operatorTicket(daemon);
    const first = await redeem(daemon, ticket);
    expect(first.status).toBe(201);
    expect(first.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_operator=[\w-]{43}; Path=\/v1\/operator; HttpOnly; SameSite=Strict; Max-Age=28800$/),
    ]);
    expect(first.headers.get('cache-control')).toBe('no-store');
    const second = await redeem(daemon, ticket);
    expect([second.status, second.headers.getSetCookie()]).toEqual([410, []]);
  });

  test('opens one session if it is redeemed twice at once', async () => {
    const ticket = await operatorTicket(daemon);
    const answers = await Promise.all([redeem(daemon, ticket), redeem(daemon, ticket)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 410]);
  });

  test('expires after a minute, and is stored as a hash alone', async () => {
    const ticket = await operatorTicket(daemon);
    const rows = await daemon.db.readers.all('SELECT * FROM operatorTickets');
    expect(rows).not.toEqual([]);
    expect(JSON.stringify(rows)).not.toContain(ticket);
    daemon.clock.advance(MINUTE_MS);
    expect((await redeem(daemon, ticket)).status).toBe(410);
    await operatorTicket(daemon);
    expect(await daemon.db.readers.all('SELECT * FROM operatorTickets')).toHaveLength(1);
  });

  test('of an account does not open it, nor does its ticket sign a browser in', async () => {
    const { apiKey } = await daemon.signIn('ada@example.com');
    const made = await daemon.call<{ ticket: string }>(apiKey, '/v1/session/ticket', { method: 'POST' });
    expect((await redeem(daemon, made.body.ticket)).status).toBe(410);
    await expect(openBrowser(daemon, { ticket: await operatorTicket(daemon) })).rejects.toThrow('410');
  });

  test('is refused after 30 attempts of an address within a minute', async () => {
    const statuses = [];
    for (let attempt = 0; attempt < 31; attempt++) statuses.push((await redeem(daemon, 'x'.repeat(43))).status);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a session', () => {
  test('survives a reload, and ends when the operator ends it', async () => {
    const page = await openOperatorPage(daemon);
    expect((await page.call<OperatorSession>('/session')).body.csrf).toBe(page.csrf);
    const ended = await page.call('/session', { method: 'DELETE' });
    expect([ended.status, ended.headers.getSetCookie()[0]]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await page.call('/session')).status).toBe(401);
    expect((await page.call('/overview')).status).toBe(401);
  });

  test('ends after 30 minutes without a request', async () => {
    const page = await openOperatorPage(daemon);
    daemon.clock.advance(30 * MINUTE_MS - 1000);
    expect((await page.call('/overview')).status).toBe(200);
    daemon.clock.advance(30 * MINUTE_MS);
    expect((await page.call('/overview')).status).toBe(401);
  });

  test('ends after 8 hours, however often it is used', async () => {
    const page = await openOperatorPage(daemon);
    for (let minutes = 0; minutes < 8 * 60; minutes += 20) {
      expect((await page.call('/session')).status).toBe(200);
      daemon.clock.advance(20 * MINUTE_MS);
    }
    expect(20 * MINUTE_MS * 24).toBe(8 * HOUR_MS);
    expect((await page.call('/session')).status).toBe(401);
  });

  test('is refused if the request has two of its cookies', async () => {
    const { call, cookie } = await openOperatorPage(daemon);
    expect((await call('/overview', { headers: { cookie: `${cookie}; ${cookie}` } })).status).toBe(401);
  });
});

describe.each(OPERATOR_REQUESTS)('$method $path', ({ path, method, body }) => {
  const options = { method, ...(body && { body }) };

  test('does not exist for a request that was forwarded', async () => {
    const { call } = await openOperatorPage(daemon);
    const expected = await nowhere();
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
      const { status, body: problem, headers } = await call(path, { ...options, headers: { [header]: '127.0.0.1' } });
      expect([status, problem, headers.get('allow')]).toMatchObject([404, expected, null]);
    }
  });

  test('opens with no key and no session of an account', async () => {
    if (path === '/session' && method === 'POST') return;
    expect((await daemon.call(apiKey, `/v1/operator${path}`, options)).status).toBe(401);
    const { cookie, session } = browser;
    const headers = { cookie, 'x-svc-csrf': session.csrf, ...SAME_ORIGIN };
    expect((await daemon.call(undefined, `/v1/operator${path}`, { ...options, headers })).status).toBe(401);
  });

  test.skipIf(method === 'GET' || path === '/session')('needs the csrf token of the session', async () => {
    const { call } = await openOperatorPage(daemon);
    const answers = [
      await call(path, { ...options, headers: { 'x-svc-csrf': '' } }),
      await call(path, { ...options, headers: { 'x-svc-csrf': 'x'.repeat(43) } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
  });

  test('is refused for a page of another origin', async () => {
    const { call } = await openOperatorPage(daemon);
    for (const [name, value] of [
      ['sec-fetch-site', 'cross-site'],
      ['origin', 'http://127.0.0.1:1'],
    ] as const) {
      expect((await call(path, { ...options, headers: { [name]: value } })).status).toBe(403);
    }
  });
});

test('does not exist under a name that is not loopback’s, which another site may point here', async () => {
  const { cookie } = await openOperatorPage(daemon);
  const status = await new Promise((resolve) => {
    const headers = { host: 'evil.example', cookie };
    get(`${daemon.baseUrl}/v1/operator/overview`, { headers }, (answer) => resolve(answer.statusCode));
  });
  expect(status).toBe(404);
});

test('other methods of its paths do not tell that they exist', async () => {
  const answer = await daemon.call(undefined, '/v1/operator/overview', { method: 'PUT', body: {} });
  expect([answer.status, answer.headers.get('allow')]).toEqual([404, null]);
});

test('behind a trusted proxy, it exists for this machine alone', async () => {
  const proxied = await startTestDaemon({ config: { trustProxy: ['loopback'], publicUrl: 'https://svc.example.com' } });
  try {
    const { call } = await openOperatorPage(proxied);
    expect((await call('/overview')).status).toBe(200);
    expect((await call('/overview', { headers: { 'x-forwarded-for': '192.0.2.7' } })).status).toBe(404);
    expect((await call('/overview', { headers: { 'x-forwarded-for': '127.0.0.1' } })).status).toBe(404);
  } finally {
    await proxied.close();
  }
});
