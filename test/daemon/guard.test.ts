import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeTenant, times } from '../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

const TOKEN = 'operator-token-of-the-tests';
let daemon: TestDaemon;
let proxied: TestDaemon;

beforeAll(async () => {
  [daemon, proxied] = await Promise.all([
    startTestDaemon(),
    startTestDaemon({ config: { trustProxy: ['loopback'], metricsToken: TOKEN } }),
  ]);
  daemon.clock.freeze();
  proxied.clock.freeze();
});

afterAll(() => Promise.all([daemon.close(), proxied.close()]));

beforeEach(() => {
  daemon.clock.advance(120_000);
  proxied.clock.advance(120_000);
});

describe('health, readiness and metrics', () => {
  test.each(['/healthz', '/readyz', '/metrics'])('%s takes no token, however often it is requested', async (path) => {
    const answers = await times(121, () => daemon.call(undefined, path));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers.get('x-ratelimit-remaining')))).toEqual(new Set(['120']));
    const counted = await daemon.call(undefined, '/v1/openapi.json');
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('119');
  });

  test('cannot be used to try keys for free: a valid key gets the same response as an invalid one', async () => {
    const { apiKey } = await makeTenant(daemon, 'pro@example.com', 'Pro');
    const valid = await daemon.call(apiKey, '/healthz');
    const wrong = await daemon.call(`svc_live_${'0'.repeat(32)}`, '/healthz');
    const rateOf = ({ headers }: typeof valid) => [...headers].filter(([name]) => name.includes('ratelimit'));
    expect(rateOf(valid)).toEqual(rateOf(wrong));
    expect((await daemon.call(apiKey, '/v1/account')).headers.get('x-ratelimit-limit')).toBe('600');
  });

  test('are served to an address that is over its rate limit', async () => {
    await times(120, () => daemon.call(undefined, '/nothing'));
    expect((await daemon.call(undefined, '/nothing')).status).toBe(429);
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const answer = await daemon.call(undefined, path);
      expect([path, answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([path, 200, '0']);
    }
  });
});

describe('/metrics', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const cases: [who: string, on: () => TestDaemon, headers: Record<string, string>, status: number][] = [
    ['this machine', () => daemon, {}, 200],
    ['this machine, with a token although none is configured', () => daemon, bearer(TOKEN), 200],
    ['a proxy on this machine', () => daemon, { 'x-forwarded-for': '203.0.113.7' }, 403],
    ['a proxy that hides its client', () => daemon, { forwarded: 'for=_hidden' }, 403],
    ['a client that pretends to be this machine', () => daemon, { 'x-forwarded-for': '127.0.0.1' }, 403],
    [
      'a client that pretends to be this machine, through a trusted proxy',
      () => proxied,
      { 'x-forwarded-for': '127.0.0.1' },
      403,
    ],
    ['another machine, through a trusted proxy', () => proxied, { 'x-forwarded-for': '203.0.113.7' }, 403],
    ['another machine, with the token', () => proxied, { 'x-forwarded-for': '203.0.113.7', ...bearer(TOKEN) }, 200],
    [
      'another machine, with part of the token',
      () => proxied,
      { 'x-forwarded-for': '203.0.113.7', ...bearer(TOKEN.slice(1)) },
      403,
    ],
    ['another machine, with an empty token', () => proxied, { 'x-forwarded-for': '203.0.113.7', ...bearer('') }, 403],
    ['this machine, without the configured token', () => proxied, {}, 200],
  ];

  test.each(cases)('%s', async (_, on, headers, status) => {
    const answer = await on().call(undefined, '/metrics', { headers });
    expect(answer.status).toBe(status);
    expect(answer.text.includes('svc_http_request_duration_seconds')).toBe(status === 200);
  });

  test('reject tenants', async () => {
    const { apiKey } = await makeTenant(proxied, 'tenant@example.com', 'Enterprise');
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect((await proxied.call(apiKey, '/metrics', { headers })).status).toBe(403);
    expect((await proxied.call(apiKey, '/v1/account', { headers })).status).toBe(200);
  });

  test('contain routes, never addresses, ids or keys', async () => {
    const { apiKey, tenantId } = await makeTenant(daemon, 'unseen@example.com');
    await daemon.call(apiKey, '/v1/memories/mem_unseen?user=unseen');
    await daemon.call(apiKey, '/unseen-path');
    const { text } = await daemon.call(undefined, '/metrics');
    expect(text).toContain('route="/v1/memories/:id"');
    expect(text).not.toMatch(/unseen|127\.0\.0\.1/);
    expect(text).not.toContain(tenantId);
    expect(text).not.toContain(apiKey);
  });
});

describe('a problem document', () => {
  const post = (body: unknown) => daemon.call(undefined, '/v1/auth/magic-link', { body });

  test.each([
    ['an unknown field', { email: 'a@example.com', owner: 1 }, '/owner', 'is not a known field'],
    ['a field with a slash in its name', { email: 'a@example.com', 'a/b~c': 1 }, '/a~1b~0c', 'is not a known field'],
    ['a missing field', {}, '/email', 'is required'],
    ['a wrong type', { email: 5 }, '/email', 'must be a string'],
    [
      'a nested field',
      { email: 'a@example.com', login: { device: 'x', codeChallenge: 'short' } },
      '/login/codeChallenge',
      expect.stringContaining('must match'),
    ],
  ])('names %s by its JSON pointer', async (_, body, path, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ path, message }] });
  });

  test('for a query string names the parameter', async () => {
    const { apiKey } = await makeTenant(daemon, 'query@example.com');
    const answer = await daemon.call(apiKey, '/v1/usage?days=0&owner=1');
    expect(answer.body.errors).toEqual([
      { path: expect.stringMatching(/^(days|owner)$/), message: expect.any(String) },
    ]);
  });

  test('for a rejected key is the same for every cause, and names the required scheme', async () => {
    const { apiKey } = await makeTenant(daemon, 'cause@example.com');
    const credentials = [
      undefined,
      `Bearer ${apiKey}x`,
      `Bearer svc_live_${'0'.repeat(32)}`,
      'Basic dXNlcjpwYXNz',
      'Bearer',
      '',
    ];
    const answers = await Promise.all(
      credentials.map((authorization) =>
        daemon.call(undefined, '/v1/account', { headers: authorization === undefined ? {} : { authorization } }),
      ),
    );
    for (const [index, { status, body, headers }] of answers.entries()) {
      expect(status).toBe(401);
      expect({ ...body, requestId: '' }).toEqual({ ...answers[0]!.body, requestId: '' });
      const scheme = headers.get('www-authenticate');
      expect(scheme).toBe(index === 0 ? 'Bearer realm="svc"' : 'Bearer realm="svc", error="invalid_token"');
    }
    expect((await daemon.call(apiKey, '/v1/account')).status).toBe(200);
  });
});
