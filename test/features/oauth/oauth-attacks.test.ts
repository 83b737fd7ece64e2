import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { fromElsewhere } from '../../helpers/sign-in.ts';
import { type Browser, SAME_ORIGIN } from '../connections/browser.ts';
import {
  CALLBACK,
  callMcp,
  codeOf,
  connectClient,
  decide,
  look,
  mcpStatus,
  redeem,
  refresh,
  register,
  requestOf,
  sendForm,
  signInBrowser,
  startOAuthDaemon,
} from './oauth-flow.ts';

const INVALID_GRANT = { error: 'invalid_grant' };

let daemon: TestDaemon;
let browser: Browser;
let apiKey: string;

beforeAll(async () => {
  daemon = await startOAuthDaemon();
  ({ browser, apiKey } = await signInBrowser(daemon));
});
afterAll(() => daemon.close());

/** How many clients are connected to the account. */
async function connected(): Promise<number> {
  const { body } = await browser.call<{ data: { kind: string }[] }>('/v1/connections?limit=200');
  return body.data.filter(({ kind }) => kind === 'oauth').length;
}

describe('a code', () => {
  test('that is used again is refused, and ends the connection', async () => {
    const request = await requestOf(daemon);
    const code = await codeOf(browser, request);
    const { body } = await redeem(daemon, code, request);
    expect(await mcpStatus(daemon, body.access_token)).toBe(200);
    const before = await connected();
    expect(await redeem(daemon, code, request)).toMatchObject({ status: 400, body: INVALID_GRANT });
    expect(await mcpStatus(daemon, body.access_token)).toBe(401);
    expect((await refresh(daemon, body.refresh_token, request)).body).toMatchObject(INVALID_GRANT);
    expect(await connected()).toBe(before - 1);
  });

  test('that is used twice at once gives tokens to one at most, and none of them stays valid', async () => {
    const request = await requestOf(daemon);
    const code = await codeOf(browser, request);
    const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(daemon, code, request)));
    const granted = answers.filter(({ status }) => status === 200);
    expect(granted.length).toBeLessThanOrEqual(1);
    for (const { body } of granted) expect(await mcpStatus(daemon, body.access_token)).toBe(401);
  });

  test('expires after a minute', async () => {
    const request = await requestOf(daemon);
    const code = await codeOf(browser, request);
    daemon.clock.advance(60_000);
    expect(await redeem(daemon, code, request)).toMatchObject({ status: 400, body: INVALID_GRANT });
  });

  test('needs the verifier, the client and the redirect URI that it was made for', async () => {
    const request = await requestOf(daemon);
    const code = await codeOf(browser, request);
    const other = await requestOf(daemon);
    const wrong: Record<string, string>[] = [
      { code_verifier: other.verifier },
      { client_id: other.clientId },
      { redirect_uri: `${CALLBACK}/` },
      { code: `${code}x` },
    ];
    for (const more of wrong) {
      expect(await redeem(daemon, code, request, more)).toMatchObject({ status: 400, body: INVALID_GRANT });
    }
    for (const name of ['code_verifier', 'redirect_uri', 'client_id', 'code']) {
      const answer = await redeem(daemon, code, request, { [name]: '' });
      expect(answer.body).toEqual({ error: 'invalid_request', error_description: `${name} is missing.` });
    }
    expect((await redeem(daemon, code, request)).status).toBe(200);
  });

  test('is neither a token nor a session', async () => {
    const code = await codeOf(browser, await requestOf(daemon));
    expect(await mcpStatus(daemon, code)).toBe(401);
    const headers = { ...SAME_ORIGIN, cookie: `svc_session=${code}` };
    expect((await daemon.call(undefined, '/v1/account', { headers })).status).toBe(401);
  });
});

describe('PKCE', () => {
  test.each<[string, Record<string, string | undefined>]>([
    ['without a challenge', { code_challenge: undefined }],
    ['with the method plain', { code_challenge_method: 'plain' }],
    ['without a method, which would mean plain', { code_challenge_method: undefined }],
    ['with a short challenge', { code_challenge: 'abc' }],
  ])('is required: a request %s is refused', async (_, parameters) => {
    const { query } = await requestOf(daemon, parameters);
    for (const answer of [await look(browser, query), await decide(browser, query)]) {
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_request', error: 'invalid_request' }]);
    }
  });
});

describe('a redirect URI', () => {
  test.each([
    `${CALLBACK}/more`,
    `${CALLBACK}?next=x`,
    `${CALLBACK}#x`,
    'https://client.example/Callback',
    'https://client.example:444/callback',
    'https://client.example.evil.example/callback',
    'https://client.example@evil.example/callback',
    'http://client.example/callback',
    'https://client.example/callback/../evil',
    'https://client.example//callback',
    'https://client.example/%63allback',
    'javascript:alert(1)',
    '//client.example/callback',
  ])('must be exactly the registered one, unlike %s', async (redirectUri) => {
    const { query } = await requestOf(daemon, { redirect_uri: redirectUri });
    for (const answer of [
      await look(browser, query),
      await decide(browser, query),
      await decide(browser, query, { allow: false }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body).not.toHaveProperty('returnTo');
      expect(answer.text).not.toContain('redirectTo');
    }
  });

  test('of a loopback address may have another port, and nothing else', async () => {
    const clientId = await register(daemon, { redirect_uris: ['http://127.0.0.1:1234/callback'] });
    const statusOf = async (redirectUri: string) =>
      (await look(browser, (await requestOf(daemon, { redirect_uri: redirectUri }, clientId)).query)).status;
    expect(await statusOf('http://127.0.0.1:4321/callback')).toBe(200);
    expect(await statusOf('http://127.0.0.1/callback')).toBe(200);
    for (const other of [
      'http://127.0.0.2:1234/callback',
      'http://localhost:1234/callback',
      'http://127.0.0.1:1234/x',
    ]) {
      expect(await statusOf(other)).toBe(400);
    }
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'http://client.example/',
    'https://a@b.example/',
    'https://b.example/#x',
    'file:///etc/passwd',
    'x.:/',
    'x.-:/',
    'x.+:/callback',
    '.x:/',
    'com..example:/callback',
    'x',
    7,
  ])('cannot be registered as %s', async (redirectUri) => {
    const body = { redirect_uris: [redirectUri] };
    const answer = await daemon.call(undefined, '/v1/oauth/register', { body, headers: fromElsewhere() });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  test.each(['com.example.app:/callback', 'cursor://anysphere.cursor-mcp/callback'])(
    'can be registered as %s, the scheme of an app',
    async (redirectUri) => {
      const body = { redirect_uris: [redirectUri] };
      const answer = await daemon.call(undefined, '/v1/oauth/register', { body, headers: fromElsewhere() });
      expect(answer.status).toBe(201);
    },
  );

  const open = (query: string) =>
    daemon.call(undefined, `/v1/oauth/authorize?${query}`, {
      headers: { ...fromElsewhere(), accept: 'text/html' },
    });

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ scope: 'account' }, 'invalid_scope'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('learns of the error of a request with %o, before anything is shown', async (parameters, error) => {
    const answer = await open((await requestOf(daemon, parameters)).query);
    expect(answer.status).toBe(302);
    const location = new URL(answer.headers.get('location')!);
    expect(location.origin + location.pathname).toBe('https://client.example/callback');
    expect(Object.fromEntries(location.searchParams)).toMatchObject({ error, state: 'as sent' });
    expect(answer.text).not.toContain('name="email"');
  });

  test.each([
    { redirect_uri: 'https://evil.example/' },
    { redirect_uri: undefined },
    { client_id: 'unknown' },
    { client_id: 'unknown', response_type: 'token' },
  ])('is not followed from a request with %o: the page shows the error, and no form', async (parameters) => {
    const answer = await open((await requestOf(daemon, parameters)).query);
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(answer.text).not.toMatch(/name="email"|evil\.example|client\.example/);
  });

  test('is not followed from a valid request: the page asks first', async () => {
    const answer = await open((await requestOf(daemon)).query);
    expect([answer.status, answer.headers.get('location')]).toEqual([200, null]);
    expect(answer.text).toContain('name="email"');
    expect(answer.text).not.toContain('client.example');
  });
});

describe('a mix-up of servers', () => {
  test('can be noticed: every answer to a client names the issuer', async () => {
    const { query } = await requestOf(daemon);
    const wrong = await requestOf(daemon, { resource: 'https://other.example/mcp' });
    const addresses = [
      (await decide(browser, query)).body.redirectTo,
      (await decide(browser, query, { allow: false })).body.redirectTo,
      (await look<{ returnTo: string }>(browser, wrong.query)).body.returnTo,
    ].map((address) => new URL(address));
    for (const { origin, pathname, searchParams } of addresses) {
      expect(origin + pathname).toBe(CALLBACK);
      expect([searchParams.get('iss'), searchParams.get('state')]).toEqual([daemon.publicUrl, 'as sent']);
    }
    expect(addresses.map(({ searchParams }) => searchParams.get('error'))).toEqual([
      null,
      'access_denied',
      'invalid_target',
    ]);
  });
});

describe('a refresh token', () => {
  test('is replaced by each use, and a second use ends the connection', async () => {
    const { tokens, request } = await connectClient(daemon, browser);
    const second = (await refresh(daemon, tokens.refresh_token, request)).body;
    const third = (await refresh(daemon, second.refresh_token, request)).body;
    expect(await mcpStatus(daemon, third.access_token)).toBe(200);
    expect(await refresh(daemon, tokens.refresh_token, request)).toMatchObject({ status: 400, body: INVALID_GRANT });
    for (const one of [tokens, second, third]) {
      expect(await mcpStatus(daemon, one.access_token)).toBe(401);
      expect((await refresh(daemon, one.refresh_token, request)).body).toMatchObject(INVALID_GRANT);
    }
  });

  test('is bound to its client, and is not an access token', async () => {
    const { tokens, request } = await connectClient(daemon, browser);
    const clientId = await register(daemon);
    expect((await refresh(daemon, tokens.refresh_token, { clientId })).body).toMatchObject(INVALID_GRANT);
    expect(await mcpStatus(daemon, tokens.refresh_token)).toBe(401);
    expect((await refresh(daemon, tokens.access_token, request)).body).toMatchObject(INVALID_GRANT);
    expect((await refresh(daemon, tokens.refresh_token, request)).status).toBe(200);
  });

  test('expires after 30 days without use', async () => {
    const day = 24 * 3_600_000;
    const { tokens, request } = await connectClient(daemon, browser);
    daemon.clock.advance(29 * day);
    const renewed = (await refresh(daemon, tokens.refresh_token, request)).body;
    daemon.clock.advance(29 * day);
    const last = (await refresh(daemon, renewed.refresh_token, request)).body;
    expect(await mcpStatus(daemon, last.access_token)).toBe(200);
    daemon.clock.advance(30 * day);
    expect((await refresh(daemon, last.refresh_token, request)).body).toMatchObject(INVALID_GRANT);
    ({ browser, apiKey } = await signInBrowser(daemon));
  });

  test('cannot widen the scope', async () => {
    const { tokens, request } = await connectClient(daemon, browser, { scope: 'memory:read' });
    expect(tokens.scope).toBe('memory:read');
    const wider = await refresh(daemon, tokens.refresh_token, request, { scope: 'memory' });
    expect([wider.status, wider.body]).toMatchObject([400, { error: 'invalid_scope' }]);
    expect((await refresh(daemon, tokens.refresh_token, request)).body.scope).toBe('memory:read');
  });
});

describe('the audience', () => {
  test('of a token is /v1/mcp: every other route refuses it', async () => {
    const { tokens } = await connectClient(daemon, browser);
    for (const path of ['/v1/account', '/v1/memories', '/v1/connections', '/v1/export', '/v1/session']) {
      expect([path, (await daemon.call(tokens.access_token, path)).status]).toEqual([path, 401]);
    }
    const session = await daemon.call(tokens.access_token, '/v1/session', { body: {}, headers: SAME_ORIGIN });
    expect(session.status).toBe(401);
    expect(await mcpStatus(daemon, tokens.access_token)).toBe(200);
  });

  test('may name the tools that a client chose by its address, in all of its requests', async () => {
    const resource = `${daemon.publicUrl}/v1/mcp?tools=chatgpt`;
    const request = await requestOf(daemon, { resource });
    const answer = await redeem(daemon, await codeOf(browser, request), request, { resource });
    expect(answer.status).toBe(200);
    expect(await mcpStatus(daemon, answer.body.access_token)).toBe(200);
  });

  test.each(['?structured=true', '?tools=chatgpt&structured=true', '?structured=true&tools=tidy'])(
    'may name the address with %s, which asks for structured answers',
    async (query) => {
      const resource = `${daemon.publicUrl}/v1/mcp${query}`;
      const request = await requestOf(daemon, { resource });
      expect((await redeem(daemon, await codeOf(browser, request), request, { resource })).status).toBe(200);
    },
  );

  test('cannot be another one, in any request', async () => {
    const own = `${daemon.publicUrl}/v1/mcp`;
    for (const resource of [
      `${own}/`,
      daemon.publicUrl,
      'https://other.example/mcp',
      `${own}?x`,
      `${own}x?tools=tidy`,
      `${own}?tools=tidy&x`,
    ]) {
      const { query } = await requestOf(daemon, { resource });
      expect((await look(browser, query)).body).toMatchObject({ error: 'invalid_target' });
      const request = await requestOf(daemon, { resource: own });
      const answer = await redeem(daemon, await codeOf(browser, request), request, { resource });
      expect([answer.status, answer.body]).toMatchObject([400, { error: 'invalid_target' }]);
    }
  });
});

describe('the consent page', () => {
  test('cannot be framed, runs only svc’s own script, and shows nothing of the request', async () => {
    const { query } = await requestOf(daemon);
    const answer = await daemon.call(undefined, `/v1/oauth/authorize?${query}`, { headers: fromElsewhere() });
    expect(answer.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
    );
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('is answered only by the session of a browser, from svc’s own origin, with the csrf token', async () => {
    const { query } = await requestOf(daemon);
    const before = await connected();
    const body = { request: query, allow: true };
    const attempts: [number, string | undefined, Record<string, string>][] = [
      [401, undefined, {}],
      [403, apiKey, {}],
      [403, undefined, { cookie: browser.cookie, ...SAME_ORIGIN }],
      [403, undefined, { cookie: browser.cookie, 'sec-fetch-site': 'cross-site', 'x-svc-csrf': browser.session.csrf }],
      [403, undefined, { cookie: browser.cookie, origin: 'https://evil.example', 'x-svc-csrf': browser.session.csrf }],
    ];
    for (const [status, key, headers] of attempts) {
      const answer = await daemon.call(key, '/v1/oauth/consent', { body, headers: { ...headers, ...fromElsewhere() } });
      expect([answer.status, headers]).toEqual([status, headers]);
    }
    const form = await sendForm(
      daemon,
      '/v1/oauth/consent',
      { request: query, allow: 'true' },
      { cookie: browser.cookie },
    );
    expect(form.status).toBeGreaterThanOrEqual(400);
    expect(await connected()).toBe(before);
  });

  test('makes no grant for a space, which would outlive the membership', async () => {
    const { query } = await requestOf(daemon);
    const made = await browser.call<{ id: string }>('/v1/spaces', { body: { name: 'team' } });
    const before = await connected();
    const headers = { 'x-svc-space': made.body.id };
    const body = { request: query, allow: true };
    expect(await browser.call('/v1/oauth/consent', { body, headers })).toMatchObject({ status: 400 });
    expect(await connected()).toBe(before);
  });

  test('cannot give more than the client asks for, or the person allows', async () => {
    const { query } = await requestOf(daemon, { scope: 'memory:read' });
    expect((await decide(browser, query, { scope: 'memory' })).status).toBe(400);
    expect((await decide(browser, query, { scope: 'account' })).status).toBe(400);
  });

  test('is not allowed by a session that ends meanwhile', async () => {
    const { browser: own } = await signInBrowser(daemon);
    const { body } = await own.call<{ tenantId: string }>('/v1/account');
    const { query } = await requestOf(daemon);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const ended = daemon.db.writes.write(body.tenantId, async (connection) => {
      await released;
      await connection.run('DELETE FROM connections WHERE tenantId = ?', [body.tenantId]);
    });
    const decided = decide(own, query);
    await expect.poll(() => daemon.db.writes.waiting()).toBeGreaterThan(0);
    release();
    await ended;
    expect((await decided).status).toBe(401);
  });

  test('shows names without invisible characters', async () => {
    const clientId = await register(daemon, { client_name: ' Go\u202eod\u0007 \u200bname ' });
    const { query } = await requestOf(daemon, {}, clientId);
    expect((await look(browser, query)).body.client).toBe('Good name');
  });
});

describe('registration', () => {
  test('is limited per address', async () => {
    daemon.clock.freeze();
    const headers = fromElsewhere();
    const statuses: number[] = [];
    for (let count = 0; count < 21; count += 1) {
      const body = { redirect_uris: [CALLBACK] };
      statuses.push((await daemon.call(undefined, '/v1/oauth/register', { body, headers })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(201), 429]);
    expect(
      (
        await daemon.call(undefined, '/v1/oauth/register', {
          body: { redirect_uris: [CALLBACK] },
          headers: fromElsewhere(),
        })
      ).status,
    ).toBe(201);
  });

  test('forgets clients that were not used for 30 days', async () => {
    const [idle, used] = [await register(daemon), await register(daemon)];
    daemon.clock.advance(29 * 24 * 3_600_000);
    ({ browser, apiKey } = await signInBrowser(daemon));
    await codeOf(browser, await requestOf(daemon, {}, used));
    daemon.clock.advance(24 * 3_600_000);
    ({ browser, apiKey } = await signInBrowser(daemon));
    await daemon.oauth.clients.sweep();
    const statusOf = async (clientId: string) =>
      (await look(browser, (await requestOf(daemon, {}, clientId)).query)).status;
    expect(await statusOf(idle)).toBe(400);
    expect(await statusOf(used)).toBe(200);
  });

  test('from many addresses fills no disk: of clients that were never used, the last 10,000 stay', async () => {
    const [idle, used] = [await register(daemon), await register(daemon)];
    daemon.clock.advance(1000);
    ({ browser, apiKey } = await signInBrowser(daemon));
    await codeOf(browser, await requestOf(daemon, {}, used));
    const nowMs = daemon.clock.nowMs();
    await daemon.db.writes.write('daemon', (connection) =>
      connection.run(
        `WITH RECURSIVE flood(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM flood WHERE i < 10000)
         INSERT INTO oauthClients (id, name, redirectUris, createdAt, lastUsedAt)
         SELECT 'flood ' || i, 'flood', '[]', CAST(? AS BIGINT) + i, CAST(? AS BIGINT) + i FROM flood`,
        [nowMs, nowMs],
      ),
    );
    await daemon.oauth.clients.sweep();
    expect(await daemon.oauth.clients.find(idle)).toBeUndefined();
    expect(await daemon.oauth.clients.find(used)).toBeDefined();
    expect(await daemon.oauth.clients.find('flood 1')).toBeDefined();
  });
});

describe('the metadata document of a client', () => {
  test.each([
    'https://127.0.0.1/client',
    'https://[::1]/client',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/client',
    'https://localhost/client',
    'https://[::ffff:7f00:1]/client',
  ])('is not fetched from inside the network: %s', async (clientId) => {
    const { query } = await requestOf(daemon, { client_id: clientId });
    const answer = await look(browser, query);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_client']);
    expect(answer.body.detail).toMatch(/^svc could not fetch the metadata document/);
  });

  test('is not fetched for a visitor without a session', async () => {
    const { query } = await requestOf(daemon, { client_id: 'https://client.example/id' });
    const answer = await daemon.call(undefined, `/v1/oauth/consent?${new URLSearchParams({ request: query })}`);
    expect(answer.status).toBe(401);
  });
});

describe('a connection', () => {
  test('that may only read gets an error that says so when it writes', async () => {
    const { tokens } = await connectClient(daemon, browser, { scope: 'memory:read' });
    const call = async (name: string, args: object) => {
      const { text } = await callMcp(daemon, tokens.access_token, 'tools/call', { name, arguments: args });
      return (/\{"(?:jsonrpc|result).*\}/.exec(text) ?? [''])[0];
    };
    expect(await call('memory_search', { query: 'tea' })).not.toContain('"isError":true');
    expect(await call('memory_add', { content: 'Ada drinks tea' })).toMatch(/may only read.*"isError":true/);
  });

  test.each<[string, (id: string, token: string, clientId: string) => Promise<unknown>]>([
    ['revoked in the list', (id) => browser.call(`/v1/connections/${id}`, { method: 'DELETE' })],
    ['revoked by the client', (_, token, client_id) => sendForm(daemon, '/v1/oauth/revoke', { token, client_id })],
  ])('ends at once when it is %s', async (_, end) => {
    const { tokens, request } = await connectClient(daemon, browser);
    const { body } = await browser.call<{ data: { id: string; kind: string; client: string; scope: string }[] }>(
      '/v1/connections',
    );
    const [connection] = body.data;
    expect(connection).toMatchObject({ kind: 'oauth', client: 'Test client', scope: 'memory' });
    await end(connection!.id, tokens.refresh_token, request.clientId);
    expect(await mcpStatus(daemon, tokens.access_token)).toBe(401);
    expect((await refresh(daemon, tokens.refresh_token, request)).body).toMatchObject(INVALID_GRANT);
  });

  test('is not revoked by another client', async () => {
    const { tokens } = await connectClient(daemon, browser);
    const client_id = await register(daemon);
    const answer = await sendForm(daemon, '/v1/oauth/revoke', { token: tokens.access_token, client_id });
    expect(answer.status).toBe(200);
    expect(await mcpStatus(daemon, tokens.access_token)).toBe(200);
  });

  test('survives a new API key, and ends with the account', async () => {
    const someone = await signInBrowser(daemon);
    const { tokens, request } = await connectClient(daemon, someone.browser);
    const { email } = (await someone.browser.call<{ email: string }>('/v1/account')).body;
    const renewed = await daemon.signIn(email);
    expect(await mcpStatus(daemon, tokens.access_token)).toBe(200);
    expect((await daemon.call(renewed.apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);
    expect(await mcpStatus(daemon, tokens.access_token)).toBe(401);
    expect((await refresh(daemon, tokens.refresh_token, request)).body).toMatchObject(INVALID_GRANT);
  });
});

test('no code or token is stored in clear', async () => {
  const request = await requestOf(daemon);
  const code = await codeOf(browser, request);
  const { body } = await redeem(daemon, code, request);
  const rows = await daemon.db.readers.all<Record<string, unknown>>('SELECT * FROM oauthTokens');
  const stored = JSON.stringify(rows);
  expect(rows.length).toBeGreaterThan(2);
  for (const secret of [code, body.access_token, body.refresh_token]) expect(stored).not.toContain(secret);
  expect(daemon.logLines.join('\n')).not.toMatch(/svc_o(at|rt|ac)_/);
});
