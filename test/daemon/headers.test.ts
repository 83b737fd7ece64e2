import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTenant, type Tenant } from '../features/limits/tenants.ts';
import { type Answer, type CallOptions, startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { expectProblem, expectRateHeaders } from './headers-expected.ts';

const MIB = 1024 * 1024;
const MCP = { accept: 'application/json, text/event-stream' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
let daemon: TestDaemon;
let tenant: Tenant;
let memory: { path: string; etag: string };

beforeAll(async () => {
  daemon = await startTestDaemon();
  daemon.clock.freeze();
  tenant = await makeTenant(daemon, 'headers@example.com', 'Pro');
  const { body, headers } = await call('/v1/memories', { body: { content: 'tea' } });
  memory = { path: `/v1/memories/${body.id}`, etag: headers.get('etag')! };
});

afterAll(() => daemon.close());

beforeEach(() => daemon.clock.advance(120_000));

const call = (path: string, request: CallOptions = {}) => daemon.call(tenant.apiKey, path, request);
const anyone = (path: string, request: CallOptions = {}) => daemon.call(undefined, path, request);
const mcp = (body: unknown, headers = {}) => call('/v1/mcp', { body, headers: { ...MCP, ...headers } });
const lines = (text: string) => new TextEncoder().encode(text);

describe('every response to a caller with a key carries the headers of its tier', () => {
  const cases: [status: number, what: string, ask: () => Promise<Answer>][] = [
    [200, 'account', () => call('/v1/account')],
    [200, 'usage', () => call('/v1/usage')],
    [200, 'memory', () => call(memory.path)],
    [200, 'list', () => call('/v1/memories')],
    [200, 'duplicate', () => call('/v1/memories', { body: { content: 'Tea' } })],
    [200, 'search', () => call('/v1/search', { body: { query: 'tea' } })],
    [200, 'HEAD', () => call('/v1/account', { method: 'HEAD' })],
    [200, 'MCP', () => mcp({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })],
    [202, 'MCP notification', () => mcp({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    [201, 'memory', () => call('/v1/memories', { body: { content: 'coffee' } })],
    [200, 'export', () => call('/v1/export')],
    [200, 'import', () => call('/v1/import', { body: { content: 'sugar' } })],
    [201, 'batch', () => call('/v1/memories/batch', { body: { memories: [{ content: 'milk' }] } })],
    [204, 'deletion', removal],
    [304, 'memory', () => call(memory.path, { headers: { 'if-none-match': memory.etag } })],
    [400, 'unknown field', () => call('/v1/memories', { body: { content: 'x', nothing: 1 } })],
    [400, 'bad JSON', () => call('/v1/memories', { body: '{' })],
    [400, 'bad query', () => call('/v1/memories?limit=0')],
    [400, 'bad cursor', () => call('/v1/memories?cursor=x')],
    [400, 'bad format', () => call('/v1/import?format=zip', { body: {} })],
    [400, 'MCP batch', () => mcp([])],
    [400, 'MCP garbage', () => mcp('{', { 'content-type': 'application/json' })],
    [403, 'MCP origin', () => mcp({}, { origin: 'https://elsewhere.example' })],
    [404, 'memory', () => call('/v1/memories/mem_0')],
    [404, 'route', () => call('/v1/nothing')],
    [404, 'OPTIONS of no route', () => call('/v1/nothing', { method: 'OPTIONS' })],
    [204, 'OPTIONS', () => call('/v1/account', { method: 'OPTIONS' })],
    [405, 'method', () => call('/v1/account', { method: 'PUT', body: {} })],
    [405, 'MCP GET', () => call('/v1/mcp', { headers: MCP })],
    [405, 'MCP DELETE', () => call('/v1/mcp', { method: 'DELETE', headers: MCP })],
    [409, 'superseded twice', conflict],
    [410, 'replay of an erased resource', gone],
    [
      412,
      'stale If-Match',
      () => call(memory.path, { method: 'PATCH', body: { content: 'x' }, headers: { 'if-match': '"0"' } }),
    ],
    [413, 'body', () => call('/v1/memories', { body: { content: 'x'.repeat(MIB + 1) } })],
    [
      415,
      'media type',
      () => call('/v1/memories', { body: lines('content=tea'), headers: { 'content-type': 'text/plain' } }),
    ],
    [
      415,
      'media type of an import',
      () => call('/v1/import', { body: lines('<a/>'), headers: { 'content-type': 'text/xml' } }),
    ],
    [422, 'idempotency key', unprocessable],
    [422, 'export of another program', () => call('/v1/import', { body: { type: 'svc-export', format: 'zip' } })],
  ];

  test.each(cases)('%i: %s', async (status, what, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expectRateHeaders(answer.headers, what, 600);
    expectProblem(answer);
  });

  async function removal(): Promise<Answer> {
    const { body } = await call('/v1/memories', { body: { content: 'to be removed' } });
    return call(`/v1/memories/${body.id}`, { method: 'DELETE' });
  }

  async function conflict(): Promise<Answer> {
    const { body } = await call('/v1/memories', { body: { content: 'one' } });
    await call('/v1/memories', { body: { content: 'two', supersedes: body.id } });
    return call('/v1/memories', { body: { content: 'three', supersedes: body.id } });
  }

  async function gone(): Promise<Answer> {
    const request = { body: { content: 'short-lived' }, headers: { 'idempotency-key': 'gone' } };
    const { body } = await call('/v1/memories', request);
    await call(`/v1/memories/${body.id}`, { method: 'DELETE' });
    return call('/v1/memories', request);
  }

  async function unprocessable(): Promise<Answer> {
    const headers = { 'idempotency-key': 'changed' };
    await call('/v1/memories', { body: { content: 'first' }, headers });
    return call('/v1/memories', { body: { content: 'second' }, headers });
  }
});

describe('every response to a caller without a key carries the headers of its address', () => {
  const assets = [
    '/dashboard',
    '/dashboard/memories',
    '/dashboard/pages.css',
    '/dashboard/code-page.js',
    '/dashboard/favicon.svg',
    '/docs',
    '/docs/reference.js',
    '/docs/reference.css',
    '/llms.txt',
  ];
  const cases: [status: number, what: string, ask: () => Promise<Answer>][] = [
    ...assets.map((path): (typeof cases)[number] => [200, path, () => anyone(path)]),
    ...assets.map((path): (typeof cases)[number] => [304, path, () => unchanged(path)]),
    [200, '/healthz', () => anyone('/healthz')],
    [200, '/readyz', () => anyone('/readyz')],
    [200, '/metrics', () => anyone('/metrics')],
    [200, 'HEAD /healthz', () => anyone('/healthz', { method: 'HEAD' })],
    [200, 'HEAD /dashboard', () => anyone('/dashboard', { method: 'HEAD' })],
    [200, '/v1/openapi.json', () => anyone('/v1/openapi.json')],
    [404, '/docs/nothing.js', () => anyone('/docs/nothing.js')],
    [302, '/', () => anyone('/')],
    [302, '/dashboard/', () => anyone('/dashboard/')],
    [302, '/docs/', () => anyone('/docs/')],
    [404, '/dashboard/nothing.js', () => anyone('/dashboard/nothing.js')],
    [404, '/.well-known/oauth-protected-resource', () => anyone('/.well-known/oauth-protected-resource')],
    [404, 'HEAD', () => anyone('/nothing', { method: 'HEAD' })],
    [404, 'OPTIONS of no route', () => anyone('/nothing', { method: 'OPTIONS' })],
    [405, 'method', () => anyone('/v1/account', { method: 'PUT', body: {} })],
    [204, 'OPTIONS', () => anyone('/v1/memories', { method: 'OPTIONS', headers: { origin: 'https://a.example' } })],
    [401, 'no key', () => anyone('/v1/account')],
    [401, 'wrong key', () => daemon.call(`svc_live_${'0'.repeat(32)}`, '/v1/account')],
    [401, 'export', () => anyone('/v1/export')],
    [401, 'import', () => anyone('/v1/import', { body: {} })],
    [401, 'HEAD', () => anyone('/v1/account', { method: 'HEAD' })],
    [401, 'MCP', () => anyone('/v1/mcp', { body: {}, headers: MCP })],
    [401, 'MCP GET', () => anyone('/v1/mcp')],
    [202, 'requested link', () => anyone('/v1/auth/magic-link', { body: { email: 'new@example.com' } })],
    [400, 'invalid e-mail address', () => anyone('/v1/auth/magic-link', { body: { email: 'nobody' } })],
    [
      413,
      'form',
      () => anyone('/v1/auth/callback', { body: lines(`token=${'x'.repeat(MIB)}`), headers: form, method: 'POST' }),
    ],
    [
      415,
      'media type',
      () => anyone('/v1/auth/callback', { body: lines('<token/>'), headers: { 'content-type': 'text/xml' } }),
    ],
    [410, 'no such link', () => anyone('/v1/auth/callback?token=x')],
    [410, 'no such link, as a page', () => anyone('/v1/auth/callback?token=x', { headers: { accept: 'text/html' } })],
    [
      403,
      'form of another site',
      () =>
        anyone('/v1/auth/callback', { body: lines('token=x'), headers: { ...form, 'sec-fetch-site': 'cross-site' } }),
    ],
    [403, 'metrics through a proxy', () => anyone('/metrics', { headers: { 'x-forwarded-for': '203.0.113.7' } })],
    [
      200,
      'the page behind a link',
      async () =>
        anyone(
          new URL(await daemon.requestLink('page@example.com')).pathname +
            new URL(await daemon.requestLink('page@example.com')).search,
        ),
    ],
    [303, 'sign-in', async () => daemon.redeem(await daemon.requestLink('redeem@example.com'))],
  ];

  test.each(cases)('%i: %s', async (status, what, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(status);
    expectRateHeaders(answer.headers, what);
    if (!answer.headers.get('content-type')?.startsWith('text/html')) expectProblem(answer);
  });

  async function unchanged(path: string): Promise<Answer> {
    const etag = (await anyone(path)).headers.get('etag')!;
    return anyone(path, { headers: { 'if-none-match': etag } });
  }
});
