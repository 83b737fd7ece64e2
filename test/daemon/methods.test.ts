import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTenant, type Tenant } from '../features/limits/tenants.ts';
import { type CallOptions, startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { expectProblem, expectRateHeaders } from './headers-expected.ts';

let daemon: TestDaemon;
let tenant: Tenant;
let memoryPath: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  daemon.clock.freeze();
  tenant = await makeTenant(daemon, 'methods@example.com', 'Pro');
  const { body } = await call('/v1/memories', { body: { content: 'tea' } });
  memoryPath = `/v1/memories/${body.id}`;
});

afterAll(() => daemon.close());

beforeEach(() => daemon.clock.advance(120_000));

const call = (path: string, options: CallOptions = {}) => daemon.call(tenant.apiKey, path, options);

describe('a method that a known path does not support', () => {
  test.each([
    ['/v1/account', 'PUT', 'DELETE, GET, HEAD, OPTIONS'],
    ['/v1/account?x=1', 'POST', 'DELETE, GET, HEAD, OPTIONS'],
    ['/v1/%61ccount', 'POST', 'DELETE, GET, HEAD, OPTIONS'],
    ['/v1/memories', 'DELETE', 'GET, HEAD, OPTIONS, POST'],
    ['/v1/memories/mem_0', 'PUT', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/v1/memories/batch', 'PUT', 'OPTIONS, POST'],
    ['/v1/memories/query', 'GET', 'OPTIONS, POST'],
    ['/v1/memories/query?user=ada', 'GET', 'OPTIONS, POST'],
    ['/v1/memories/%71uery', 'DELETE', 'OPTIONS, POST'],
    ['/v1/suggestions/decide', 'HEAD', 'OPTIONS, POST'],
    ['/v1/openapi.json', 'POST', 'GET, HEAD, OPTIONS'],
    ['/v1/provider-keys/openai', 'PATCH', 'DELETE, GET, HEAD, OPTIONS, PUT'],
    ['/v1/search', 'GET', 'OPTIONS, POST'],
    ['/v1/search', 'HEAD', 'OPTIONS, POST'],
    ['/v1/import', 'GET', 'OPTIONS, POST'],
    ['/v1/mcp', 'PUT', 'OPTIONS, POST'],
    ['/v1/auth/magic-link', 'GET', 'OPTIONS, POST'],
    ['/healthz', 'POST', 'GET, HEAD, OPTIONS'],
    ['/dashboard', 'POST', 'GET, HEAD, OPTIONS'],
    ['/v1/account', 'TRACE', 'DELETE, GET, HEAD, OPTIONS'],
    ['/v1/account', 'PROPFIND', 'DELETE, GET, HEAD, OPTIONS'],
  ])('%s %s is 405 with Allow and the rate limit headers', async (path, method, allow) => {
    const answer = await raw(path, method);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expectRateHeaders(answer.headers, path);
    if (method !== 'HEAD') expect(JSON.parse(answer.text)).toMatchObject({ code: 'method_not_allowed', status: 405 });
  });

  test('is 405 with the methods of the path alone, also where its last segment could be an id', async () => {
    const { paths } = (await call('/v1/openapi.json')).body as { paths: Record<string, object> };
    const hidden = {
      '/v1/openapi.json': { get: {} },
      '/healthz': { get: {} },
      '/readyz': { get: {} },
      '/docs': { get: {} },
    };
    const fixed = Object.entries({ ...paths, ...hidden }).filter(([path]) => !path.includes('{'));
    expect(fixed.length).toBeGreaterThan(40);
    for (const [path, operations] of fixed) {
      const own = Object.keys(operations).map((method) => method.toUpperCase());
      const supported = ['OPTIONS', ...own, ...(own.includes('GET') ? ['HEAD'] : [])].sort();
      daemon.clock.advance(120_000);
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (supported.includes(method)) continue;
        const answer = await call(path, { method });
        expect([answer.status, answer.headers.get('allow')], `${method} ${path}`).toEqual([405, supported.join(', ')]);
      }
      const asked = await call(path, { method: 'OPTIONS' });
      expect([asked.status, asked.headers.get('allow')], path).toEqual([204, supported.join(', ')]);
    }
  });

  test('is 405 even if its body is not JSON, and with a key as without', async () => {
    const headers = { 'content-type': 'text/xml' };
    const answer = await call('/v1/account', { method: 'PUT', body: new TextEncoder().encode('<a/>'), headers });
    expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed']);
    expectRateHeaders(answer.headers, 'account', 600);
    expectProblem(answer);
  });

  test.each(['GET', 'PUT', 'OPTIONS'])('%s of an unknown path is 404 without Allow', async (method) => {
    for (const path of ['/v1/nothing', '/v1/memories/mem_0/nothing', '/v1', '/v1/accountant']) {
      const answer = await call(path, { method });
      expect([answer.status, answer.headers.get('allow')], path).toEqual([404, null]);
    }
  });
});

describe('OPTIONS', () => {
  test('answers 204 with Allow and no body, with or without a key', async () => {
    for (const apiKey of [tenant.apiKey, undefined]) {
      const answer = await daemon.call(apiKey, memoryPath, { method: 'OPTIONS' });
      expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([204, '', null]);
      expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH');
      expectRateHeaders(answer.headers, 'OPTIONS', apiKey === undefined ? 120 : 600);
    }
  });
});

describe('HEAD', () => {
  const paths = () => [
    '/v1/memories',
    memoryPath,
    `${memoryPath}/history`,
    '/v1/memories/mem_0',
    '/v1/memories?limit=0',
    '/v1/nothing',
    '/v1/openapi.json',
    '/docs',
    '/llms.txt',
    '/dashboard',
    '/dashboard/pages.css',
    '/healthz',
    '/',
  ];

  test('answers like GET, with the same length and type and without a body', async () => {
    for (const path of paths()) {
      const headers = { 'accept-encoding': 'identity' };
      const get = await call(path, { headers });
      const head = await call(path, { method: 'HEAD', headers });
      const figures = ({ headers }: typeof get) =>
        ['content-length', 'content-type', 'etag'].map((name) => headers.get(name));
      expect([head.status, ...figures(head)], path).toEqual([get.status, ...figures(get)]);
      expect(head.text, path).toBe('');
      // Of a compressed answer the length counts the bytes sent, which `fetch` has decoded already.
      if (get.text === '' || get.headers.has('content-encoding')) continue;
      expect(Number(head.headers.get('content-length')), path).toBe(Buffer.byteLength(get.text));
    }
  });

  test('of an export answers at once, without a length', async () => {
    const head = await call('/v1/export', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), head.headers.get('content-type')]).toEqual([
      200,
      null,
      'application/x-ndjson; charset=utf-8',
    ]);
    expect((await daemon.call(undefined, '/v1/export', { method: 'HEAD' })).status).toBe(401);
  });
});

test.each(['GET', 'HEAD'])('304 to %s carries neither a body nor a length', async (method) => {
  for (const path of [memoryPath, '/dashboard', '/dashboard/pages.css']) {
    const etag = (await call(path)).headers.get('etag')!;
    const answer = await call(path, { method, headers: { 'if-none-match': etag } });
    expect([answer.status, answer.text, answer.headers.get('content-length')], path).toEqual([304, '', null]);
    expect(answer.headers.get('etag'), path).toBe(etag);
    expect((await call(path, { headers: { 'if-none-match': '"other"' } })).status, path).toBe(200);
  }
});

/** Sends methods that fetch refuses to send. */
function raw(path: string, method: string): Promise<{ status: number; headers: Headers; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(daemon.baseUrl + path, { method }, async (response) => {
      let text = '';
      for await (const part of response) text += part;
      const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      resolve({ status: response.statusCode!, headers, text });
    });
    sent.once('error', reject).end();
  });
}
