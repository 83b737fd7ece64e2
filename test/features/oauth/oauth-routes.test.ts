import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configWarnings, isOAuthOn } from '../../../src/daemon/config.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { fromElsewhere, startSignInDaemon } from '../../helpers/sign-in.ts';
import { CALLBACK, callMcp, connectClient, sendForm, signInBrowser, startOAuthDaemon } from './oauth-flow.ts';

const PUBLIC_URL = 'https://memory.example.com';
const ROUTES: [method: string, path: string][] = [
  ['GET', '/.well-known/oauth-protected-resource'],
  ['GET', '/.well-known/oauth-protected-resource/v1/mcp'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/v1/oauth/authorize'],
  ['POST', '/v1/oauth/authorize'],
  ['GET', '/v1/oauth/confirm'],
  ['POST', '/v1/oauth/confirm'],
  ['GET', '/v1/oauth/consent'],
  ['POST', '/v1/oauth/consent'],
  ['POST', '/v1/oauth/register'],
  ['POST', '/v1/oauth/token'],
  ['POST', '/v1/oauth/revoke'],
];
const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

describe('switched on', () => {
  let daemon: TestDaemon;

  beforeAll(async () => {
    daemon = await startOAuthDaemon({ config: { publicUrl: PUBLIC_URL, oauth: 'auto' } });
  });
  afterAll(() => daemon.close());

  const get = <T>(path: string) => daemon.call<T>(undefined, path, { headers: fromElsewhere() });

  test('says where the authorization server is, by the public address and never by the Host header', async () => {
    for (const path of ['', '/v1/mcp']) {
      const { body } = await get(`/.well-known/oauth-protected-resource${path}`);
      expect(body).toMatchObject({ resource: `${PUBLIC_URL}/v1/mcp`, authorization_servers: [PUBLIC_URL] });
    }
    const { body, headers } = await get('/.well-known/oauth-authorization-server');
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      issuer: PUBLIC_URL,
      authorization_endpoint: `${PUBLIC_URL}/v1/oauth/authorize`,
      token_endpoint: `${PUBLIC_URL}/v1/oauth/token`,
      registration_endpoint: `${PUBLIC_URL}/v1/oauth/register`,
      revocation_endpoint: `${PUBLIC_URL}/v1/oauth/revoke`,
      scopes_supported: ['memory', 'memory:read'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
  });

  test('a 401 of MCP tells clients where to begin, and one of another route does not', async () => {
    const metadata = `resource_metadata="${PUBLIC_URL}/.well-known/oauth-protected-resource/v1/mcp", scope="memory"`;
    const challengeOf = async (key: string | undefined, path: string, method = 'POST') => {
      const body = method === 'POST' ? { body: {} } : {};
      const answer = await daemon.call(key, path, { method, headers: fromElsewhere(), ...body });
      expect(answer.status).toBe(401);
      return answer.headers.get('www-authenticate');
    };
    expect(await challengeOf(undefined, '/v1/mcp')).toBe(`Bearer realm="svc", ${metadata}`);
    expect(await challengeOf(undefined, '/v1/mcp', 'GET')).toBe(`Bearer realm="svc", ${metadata}`);
    expect(await challengeOf('svc_oat_x', '/v1/mcp')).toBe(`Bearer realm="svc", error="invalid_token", ${metadata}`);
    expect(await challengeOf(undefined, '/v1/account', 'GET')).toBe('Bearer realm="svc"');
  });

  test('every response carries the rate limit headers', async () => {
    for (const [method, path] of ROUTES) {
      const body = method === 'POST' ? { body: {} } : {};
      const { headers } = await daemon.call(undefined, path, { method, headers: fromElsewhere(), ...body });
      for (const name of RATE_HEADERS)
        expect([path, headers.get(name)]).toEqual([path, expect.stringMatching(/^\d+$/)]);
    }
  });

  test('an API key connects as before', async () => {
    const { apiKey } = await signInBrowser(daemon);
    expect((await callMcp(daemon, apiKey, 'tools/list')).status).toBe(200);
  });

  test('errors of the token endpoint are those of RFC 6749', async () => {
    const send = (fields: Record<string, string> | [string, string][], headers = {}) =>
      sendForm(daemon, '/v1/oauth/token', fields, headers);
    expect((await send({})).body).toEqual({ error: 'invalid_request', error_description: 'grant_type is missing.' });
    expect((await send({ grant_type: 'password' })).body).toMatchObject({ error: 'unsupported_grant_type' });
    const twice: [string, string][] = [
      ['grant_type', 'refresh_token'],
      ['grant_type', 'refresh_token'],
    ];
    expect((await send(twice)).body).toMatchObject({ error: 'invalid_request' });
    const basic = await send({ grant_type: 'refresh_token' }, { authorization: 'Basic YTpi' });
    expect([basic.status, basic.body.error]).toEqual([401, 'invalid_client']);
    const json = { body: { grant_type: 'refresh_token' }, headers: fromElsewhere() };
    const unsupported = await daemon.call<{ detail: string }>(undefined, '/v1/oauth/token', json);
    expect([unsupported.status, unsupported.body.detail]).toEqual([
      415,
      'Send the body as application/x-www-form-urlencoded.',
    ]);
    const answer = await send({ grant_type: 'refresh_token', refresh_token: 'x', client_id: 'x' });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([400, 'no-store']);
  });

  test('a registration answers with what svc uses of it', async () => {
    const body = { client_name: 'App', redirect_uris: [CALLBACK], logo_uri: 'https://x.example/', unknown: 1 };
    const answer = await daemon.call(undefined, '/v1/oauth/register', { body, headers: fromElsewhere() });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...{ client_id: expect.stringMatching(/^[\w-]{43}$/), client_id_issued_at: expect.any(Number) },
      ...{ client_name: 'App', redirect_uris: [CALLBACK], response_types: ['code'] },
      grant_types: ['authorization_code', 'refresh_token'],
      ...{ token_endpoint_auth_method: 'none', scope: 'memory memory:read' },
    });
    for (const wrong of [{}, { redirect_uris: [] }, { redirect_uris: CALLBACK }, []]) {
      const refused = await daemon.call(undefined, '/v1/oauth/register', { body: wrong, headers: fromElsewhere() });
      expect([refused.status, refused.body]).toMatchObject([400, { error: expect.stringMatching(/^invalid_/) }]);
    }
  });
});

test('switched off, nothing answers, and no token is accepted', async () => {
  const daemon = await startSignInDaemon({ config: { oauth: 'off', publicUrl: PUBLIC_URL } });
  for (const [method, path] of ROUTES) {
    const body = method === 'POST' ? { body: {} } : {};
    const answer = await daemon.call(undefined, path, { method, headers: fromElsewhere(), ...body });
    expect([path, answer.status]).toEqual([path, 404]);
  }
  const answer = await daemon.call(undefined, '/v1/mcp', { body: {}, headers: fromElsewhere() });
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="svc"');
  await daemon.close();
});

test('tokens of an earlier run are refused once OAuth is switched off', async () => {
  const first = await startOAuthDaemon();
  const { browser } = await signInBrowser(first);
  const { tokens } = await connectClient(first, browser);
  await first.stop();
  const second = await startSignInDaemon({ dataDir: first.folder, config: { oauth: 'off' } });
  expect((await callMcp(second, tokens.access_token, 'tools/list')).status).toBe(401);
  await second.close();
});

test.each([
  [true, { oauth: 'auto', publicUrl: PUBLIC_URL }],
  [false, { oauth: 'auto', publicUrl: 'http://memory.lan' }],
  [false, { oauth: 'auto', publicUrl: undefined }],
  [true, { oauth: 'on', publicUrl: undefined }],
  [false, { oauth: 'off', publicUrl: PUBLIC_URL }],
] as const)('is on: %s with %j', (expected, config) => {
  expect(isOAuthOn(config)).toBe(expected);
});

test.each([
  [1, 'on', 'http://memory.lan'],
  [0, 'on', 'http://127.0.0.1:8787'],
  [0, 'auto', 'http://memory.lan'],
  [0, 'on', PUBLIC_URL],
] as const)('%i warning at the start with SVC_OAUTH=%s and %s', (count, oauth, publicUrl) => {
  expect(configWarnings({ host: '127.0.0.1', oauth, publicUrl, databaseUrl: undefined })).toHaveLength(count);
});
