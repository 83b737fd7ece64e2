import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import type { Browser } from '../connections/browser.ts';
import { CALLBACK, decide, mcpStatus, signInBrowser, startOAuthDaemon } from './oauth-flow.ts';

/** The whole flow, by clients that others wrote. */

const HOUR_MS = 3_600_000;
const INSECURE = { [oauth.allowInsecureRequests]: true };

let daemon: TestDaemon;
let browser: Browser;
let apiKey: string;

beforeAll(async () => {
  daemon = await startOAuthDaemon();
  ({ browser, apiKey } = await signInBrowser(daemon));
});
afterAll(() => daemon.close());

/** Allows what the address of the authorization page asks for, and returns where the browser goes. */
async function allow(address: URL): Promise<URL> {
  expect(address.pathname).toBe('/v1/oauth/authorize');
  const answer = await decide(browser, address.search.slice(1));
  expect(answer.status, answer.text).toBe(200);
  return new URL(answer.body.redirectTo);
}

test('oauth4webapi discovers, registers, is allowed, calls MCP, refreshes and revokes', async () => {
  const resource = new URL(`${daemon.publicUrl}/v1/mcp`);
  const resourceServer = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, INSECURE),
  );
  const issuer = new URL(resourceServer.authorization_servers![0]!);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { ...INSECURE, algorithm: 'oauth2' }),
  );
  expect(server.code_challenge_methods_supported).toEqual(['S256']);
  const metadata = { client_name: 'oauth4webapi', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata, INSECURE),
  );

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint!);
  address.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: CALLBACK, state, scope: 'memory' },
    ...{ resource: resource.href, code_challenge_method: 'S256' },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  }).toString();
  const parameters = oauth.validateAuthResponse(server, client, await allow(address), state);
  const answer = await oauth.authorizationCodeGrantRequest(
    ...([server, client, oauth.None(), parameters, CALLBACK, verifier] as const),
    { ...INSECURE, additionalParameters: { resource: resource.href } },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer);
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'memory' });

  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  const listed = await oauth.protectedResourceRequest(tokens.access_token, 'POST', resource, headers, body, INSECURE);
  expect(listed.status).toBe(200);

  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token!, INSECURE),
  );
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
  expect(await mcpStatus(daemon, refreshed.access_token)).toBe(200);

  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, oauth.None(), refreshed.refresh_token!, INSECURE),
  );
  expect(await mcpStatus(daemon, refreshed.access_token)).toBe(401);
});

/** A provider that keeps everything in memory. */
function createProvider() {
  const stored: Partial<Record<'client' | 'tokens' | 'verifier' | 'address', unknown>> = {};
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: 'SDK client', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' },
    clientInformation: () => stored.client as Awaited<ReturnType<OAuthClientProvider['clientInformation']>>,
    saveClientInformation: (client) => {
      stored.client = client;
    },
    tokens: () => stored.tokens as Awaited<ReturnType<OAuthClientProvider['tokens']>>,
    saveTokens: (tokens) => {
      stored.tokens = tokens;
    },
    redirectToAuthorization: (address) => {
      stored.address = address;
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier;
    },
    codeVerifier: () => stored.verifier as string,
  };
  return { provider, stored };
}

test('the MCP SDK finds out about OAuth from a 401, connects, and refreshes an expired token', async () => {
  const { provider, stored } = createProvider();
  const url = new URL(`${daemon.publicUrl}/v1/mcp`);
  const open = () => new StreamableHTTPClientTransport(url, { authProvider: provider });
  const connect = async () => {
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(open());
    return client;
  };
  await expect(connect()).rejects.toThrow();
  const callback = await allow(stored.address as URL);
  await open().finishAuth(callback.searchParams);
  const client = await connect();
  const tokens = stored.tokens as { access_token: string };
  const added = await client.callTool({ name: 'memory_add', arguments: { content: 'Ada drinks oolong' } });
  expect(added.isError).toBeFalsy();

  daemon.clock.advance(HOUR_MS);
  const found = await client.callTool({ name: 'memory_search', arguments: { query: 'What does Ada drink?' } });
  expect(JSON.stringify(found.content)).toContain('oolong');
  expect((stored.tokens as typeof tokens).access_token).not.toBe(tokens.access_token);
  expect(await mcpStatus(daemon, tokens.access_token)).toBe(401);
  await client.close();
});

test('a client with the API key in a header connects as before, and asks for nothing', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.publicUrl}/v1/mcp`), { requestInit }));
  expect((await client.listTools()).tools).toHaveLength(9);
  await client.close();
});
