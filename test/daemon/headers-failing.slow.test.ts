import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeTenant } from '../features/limits/tenants.ts';
import { breakTable } from '../helpers/broken-tables.ts';
import { type Answer, startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../helpers/daemon.ts';
import { expectRateHeaders } from './headers-expected.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
});

afterAll(() => daemon.close());

beforeEach(() => {
  daemon.clock.freeze();
  // Refills the rate limits.
  daemon.clock.advance(120_000);
});

interface RawConnection {
  socket: Socket;
  /** Everything received until the daemon closed the connection. */
  ended: Promise<string>;
}

function sendRaw(text: string, { baseUrl } = daemon): RawConnection {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(answer));
    socket.on('error', () => {});
  });
  socket.write(text);
  return { socket, ended };
}

/** Parses the last response in what came over a socket. */
function lastAnswer(text: string): { status: number; headers: Headers; body: string } {
  const from = text.lastIndexOf('HTTP/1.1 ');
  const end = text.indexOf('\r\n\r\n', from);
  const [first = '', ...lines] = text.slice(from, end).split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) };
}

const CLOSE = 'Host: svc\r\nConnection: close\r\n\r\n';

/** Starts a daemon of its own for a test. */
async function startOther(options: TestDaemonOptions): Promise<TestDaemon> {
  const other = await startTestDaemon(options);
  onTestFinished(() => other.close());
  return other;
}

test('malformed and unusual requests get the headers', async () => {
  const json = 'Host: svc\r\nContent-Type: application/json\r\n';
  const cases: [what: string, status: number, text: string][] = [
    ['garbage', 400, 'garbage\r\n\r\n'],
    ['bytes of TLS', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 400, `NONSENSE /v1/account HTTP/1.1\r\n${CLOSE}`],
    [
      'two lengths',
      400,
      `POST /v1/auth/magic-link HTTP/1.1\r\n${json}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    [
      'length and chunks',
      400,
      `POST /v1/auth/magic-link HTTP/1.1\r\n${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a broken chunk', 400, `POST /v1/auth/magic-link HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`],
    ['large headers', 431, `GET /healthz HTTP/1.1\r\nX-Long: ${'x'.repeat(40_000)}\r\n${CLOSE}`],
    ['a long path', 404, `GET /${'x'.repeat(10_000)} HTTP/1.1\r\n${CLOSE}`],
    ['no Host header', 400, 'GET /v1/account HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a path that cannot be decoded', 400, `GET /v1/memories/%E0%A4%A HTTP/1.1\r\n${CLOSE}`],
    ['an overlong id', 400, `GET /v1/memories/${'x'.repeat(5000)} HTTP/1.1\r\n${CLOSE}`],
    ['an asterisk', 404, `OPTIONS * HTTP/1.1\r\n${CLOSE}`],
    ['an absolute URL', 401, `GET http://elsewhere.example/v1/account HTTP/1.1\r\n${CLOSE}`],
    ['WebDAV', 405, `PROPFIND /v1/memories HTTP/1.1\r\n${CLOSE}`],
    ['a tunnel', 400, `CONNECT elsewhere.example:443 HTTP/1.1\r\n${CLOSE}`],
    ['TRACE', 405, `TRACE /v1/memories HTTP/1.1\r\n${CLOSE}`],
    [
      'an upgrade',
      401,
      'GET /v1/account HTTP/1.1\r\nHost: svc\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n',
    ],
    ['an unknown expectation', 401, `GET /v1/account HTTP/1.1\r\nExpect: the-moon\r\n${CLOSE}`],
    [
      '100-continue',
      400,
      `POST /v1/auth/magic-link HTTP/1.1\r\n${json}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    ['HTTP/1.0', 401, 'GET /v1/account HTTP/1.0\r\n\r\n'],
    [
      'a body shorter than its length',
      413,
      `POST /v1/auth/magic-link HTTP/1.1\r\n${json}Connection: close\r\nContent-Length: 999999999\r\n\r\n{}`,
    ],
  ];
  for (const [what, status, text] of cases) {
    const answer = lastAnswer(await sendRaw(text).ended);
    expect(answer.status, what).toBe(status);
    expectRateHeaders(answer.headers, what);
    expect(answer.headers.get('content-type'), what).toBe('application/problem+json');
    const requestId = answer.headers.get('x-request-id');
    expect(requestId, what).toMatch(/^req_[0-9a-f]{32}$/);
    expect(answer.headers.get('x-content-type-options'), what).toBe('nosniff');
    expect(JSON.parse(answer.body), what).toMatchObject({ status, requestId });
    if (status === 431) expect(JSON.parse(answer.body)).toMatchObject({ code: 'headers_too_large' });
  }
  expect((await daemon.call(undefined, '/healthz')).status).toBe(200);
});

test('a request that takes too long to arrive gets the headers', async () => {
  const hasty = await startOther({ timeouts: { headersMs: 200, requestMs: 400 } });
  const slowHead = sendRaw('GET /v1/account HTTP/1.1\r\nHost:', hasty);
  const slowBody = sendRaw(
    'POST /v1/auth/magic-link HTTP/1.1\r\nHost: svc\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    hasty,
  );
  for (const { ended } of [slowHead, slowBody]) {
    const answer = lastAnswer(await ended);
    expect(answer.status).toBe(408);
    expectRateHeaders(answer.headers, 'too slow');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(JSON.parse(answer.body)).toMatchObject({ status: 408, code: 'request_timeout' });
  }
  const inTime = sendRaw('GET /v1/account HTTP/1.1\r\nHost:', hasty);
  inTime.socket.write(' svc\r\nConnection: close\r\n\r\n');
  expect(lastAnswer(await inTime.ended).status).toBe(401);
});

test('without a working database, keys get 503 and never 401, and public pages still work', async () => {
  const { apiKey } = await makeTenant(daemon, 'away@example.com');
  expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
  const repair = await breakTable(daemon, 'apiKeys');
  const answers: [string, Answer, number][] = [
    ['account', await daemon.call(apiKey, '/v1/account'), 503],
    ['memory', await daemon.call(apiKey, '/v1/memories', { body: { content: 'tea' } }), 503],
    ['MCP', await daemon.call(apiKey, '/v1/mcp', { body: {} }), 503],
    ['no key', await daemon.call(undefined, '/v1/account'), 401],
    ['no route', await daemon.call(apiKey, '/nothing'), 404],
    ['dashboard', await daemon.call(apiKey, '/dashboard'), 200],
    ['healthz', await daemon.call(apiKey, '/healthz'), 200],
  ];
  await repair();
  for (const [what, answer, status] of answers) {
    expect(answer.status, what).toBe(status);
    expectRateHeaders(answer.headers, what);
    if (status === 503) expect(answer.body, what).toMatchObject({ code: 'unavailable', status: 503 });
    if (status === 503) expect(Number(answer.headers.get('retry-after')), what).toBeGreaterThanOrEqual(1);
  }
  expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
});

test('while keys cannot be looked up, a tenant gets 503 however many requests it sends, and never 429', async () => {
  const { apiKey } = await makeTenant(daemon, 'many@example.com', 'Pro');
  const repair = await breakTable(daemon, 'apiKeys');
  const answers: Answer[] = [];
  for (let count = 0; count < 130; count += 1) answers.push(await daemon.call(apiKey, '/v1/account'));
  await repair();
  for (const { status, headers } of answers) expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
  // A limit of the address holds all the same.
  const wrongKey = `svc_live_${'0'.repeat(32)}`;
  expect((await daemon.call(wrongKey, '/v1/account')).status).toBe(429);
});

test('a stopping daemon sends the headers up to its last response', async () => {
  const stopping = await startOther({ stopNoticeMs: 1000 });
  const { apiKey } = await makeTenant(stopping, 'stopping@example.com', 'Pro');
  const body = JSON.stringify({ content: 'written while stopping' });
  const arrived = once(stopping.app.server, 'request');
  const { socket, ended } = sendRaw(
    `POST /v1/memories HTTP/1.1\r\nHost: svc\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    stopping,
  );
  await arrived;
  const stopped = stopping.stop();
  const [notReady, alive] = await Promise.all([
    stopping.call(undefined, '/readyz'),
    stopping.call(apiKey, '/v1/account'),
  ]);
  expect(notReady.status).toBe(503);
  expectRateHeaders(notReady.headers, '/readyz');
  expect(alive.status).toBe(200);
  expectRateHeaders(alive.headers, 'account', 600);
  const isRefused = () =>
    stopping.call(apiKey, '/v1/account').then(
      () => false,
      () => true,
    );
  await expect.poll(isRefused).toBe(true);
  socket.write(body.slice(5));
  const last = lastAnswer(await ended);
  expect(last.status).toBe(201);
  expectRateHeaders(last.headers, 'the last one', 600);
  await stopped;
});

test('once the write queue is closed, writes get 503 with the headers and reads still work', async () => {
  const closing = await startOther({});
  const { apiKey } = await makeTenant(closing, 'closing@example.com');
  await closing.db.writes.drain();
  const write = await closing.call(apiKey, '/v1/memories', { body: { content: 'tea' } });
  expect([write.status, write.body.code]).toEqual([503, 'unavailable']);
  expectRateHeaders(write.headers, 'write');
  expect((await closing.call(apiKey, '/v1/memories')).status).toBe(200);
});

test('an undecodable path is rate limited and answered like any other', async () => {
  const { apiKey } = await makeTenant(daemon, 'paths@example.com', 'Pro');
  const broken = await daemon.call(apiKey, '/v1/memories/%E0%A4%A');
  expect(broken.status).toBe(400);
  expectRateHeaders(broken.headers, 'with a key', 600);
  expect(broken.headers.get('x-ratelimit-remaining')).toBe('599');
  for (let count = 0; count < 120; count += 1) await daemon.call(undefined, '/%E0%A4%A');
  const refused = await daemon.call(undefined, '/%E0%A4%A');
  expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
  expectRateHeaders(refused.headers, 'without');
});
