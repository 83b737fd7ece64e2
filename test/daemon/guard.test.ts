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
  test.each(['/healthz', '/readyz', '/metrics'])('%s takes no token, however often it is asked', async (path) => {
    const answers = await times(200, () => daemon.call(undefined, path));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ headers }) => headers.get('x-ratelimit-remaining')))).toEqual(new Set(['120']));
    const counted = await daemon.call(undefined, '/v1/openapi.json');
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('119');
  });

  test('are no way to try keys without paying: a valid one is answered as a made-up one', async () => {
    const { apiKey } = await makeTenant(daemon, 'pro@example.com', 'Pro');
    const valid = await daemon.call(apiKey, '/healthz');
    const wrong = await daemon.call(`svc_live_${'0'.repeat(32)}`, '/healthz');
    const rateOf = ({ headers }: typeof valid) => [...headers].filter(([name]) => name.includes('ratelimit'));
    expect(rateOf(valid)).toEqual(rateOf(wrong));
    expect((await daemon.call(apiKey, '/v1/account')).headers.get('x-ratelimit-limit')).toBe('600');
  });

  test('are answered to an address that has used up its requests', async () => {
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
    ['this machine, with a token that nobody set', () => daemon, bearer(TOKEN), 200],
    ['a proxy on this machine', () => daemon, { 'x-forwarded-for': '203.0.113.7' }, 403],
    ['a proxy that hides whom it serves', () => daemon, { forwarded: 'for=_hidden' }, 403],
    ['who pretends to be this machine', () => daemon, { 'x-forwarded-for': '127.0.0.1' }, 403],
    [
      'who pretends to be this machine, through a trusted proxy',
      () => proxied,
      { 'x-forwarded-for': '127.0.0.1' },
      403,
    ],
    ['elsewhere, through a trusted proxy', () => proxied, { 'x-forwarded-for': '203.0.113.7' }, 403],
    ['elsewhere, with the token', () => proxied, { 'x-forwarded-for': '203.0.113.7', ...bearer(TOKEN) }, 200],
    [
      'elsewhere, with half the token',
      () => proxied,
      { 'x-forwarded-for': '203.0.113.7', ...bearer(TOKEN.slice(1)) },
      403,
    ],
    ['elsewhere, with an empty token', () => proxied, { 'x-forwarded-for': '203.0.113.7', ...bearer('') }, 403],
    ['this machine, where a token is set', () => proxied, {}, 200],
  ];

  test.each(cases)('%s', async (_, on, headers, status) => {
    const answer = await on().call(undefined, '/metrics', { headers });
    expect(answer.status).toBe(status);
    expect(answer.text.includes('svc_http_request_duration_seconds')).toBe(status === 200);
  });

  test('are not for tenants', async () => {
    const { apiKey } = await makeTenant(proxied, 'tenant@example.com', 'Enterprise');
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    expect((await proxied.call(apiKey, '/metrics', { headers })).status).toBe(403);
    expect((await proxied.call(apiKey, '/v1/account', { headers })).status).toBe(200);
  });

  test('name routes, never addresses, ids or keys', async () => {
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
    ['a field whose name has a slash', { email: 'a@example.com', 'a/b~c': 1 }, '/a~1b~0c', 'is not a known field'],
    ['a missing field', {}, '/email', 'is required'],
    ['a wrong type', { email: 5 }, '/email', 'must be string'],
    [
      'a fault deep inside',
      { email: 'a@example.com', login: { device: 'x', codeChallenge: 'short' } },
      '/login/codeChallenge',
      expect.stringContaining('must match'),
    ],
  ])('names %s by its JSON pointer', async (_, body, path, message) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ path, message }] });
  });

  test('of a query names the parameter', async () => {
    const { apiKey } = await makeTenant(daemon, 'query@example.com');
    const answer = await daemon.call(apiKey, '/v1/usage?days=0&owner=1');
    expect(answer.body.errors).toEqual([
      { path: expect.stringMatching(/^(days|owner)$/), message: expect.any(String) },
    ]);
  });

  test('of a refused key is the same for every cause, and says which scheme is wanted', async () => {
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
