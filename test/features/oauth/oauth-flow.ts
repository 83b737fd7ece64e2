import { createHash, randomBytes } from 'node:crypto';
import type { Answer, TestDaemon, TestDaemonOptions } from '../../helpers/daemon.ts';
import { freshAddress, fromElsewhere, signInAs, startSignInDaemon } from '../../helpers/sign-in.ts';
import { type Browser, openBrowser } from '../connections/browser.ts';

/** An answer of the token endpoint. */
export interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
  scope: string;
}

/** Where the client of most tests is called back. */
export const CALLBACK = 'https://client.example/callback';

/** Starts a daemon with OAuth on, whose accounts do not hit limits. */
export function startOAuthDaemon({ config, ...rest }: TestDaemonOptions = {}): Promise<TestDaemon> {
  return startSignInDaemon({ ...rest, config: { oauth: 'on', defaultTier: 'Enterprise', ...config } });
}

/** Someone who is signed in with a browser. */
export async function signInBrowser(daemon: TestDaemon): Promise<{ apiKey: string; browser: Browser }> {
  const apiKey = await signInAs(daemon, freshAddress());
  return { apiKey, browser: await openBrowser(daemon, { apiKey }) };
}

export async function register(daemon: TestDaemon, more: Record<string, unknown> = {}): Promise<string> {
  const body = { client_name: 'Test client', redirect_uris: [CALLBACK], ...more };
  const answer = await daemon.call<{ client_id: string }>(undefined, '/v1/oauth/register', {
    body,
    headers: fromElsewhere(),
  });
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status} ${answer.text}`);
  return answer.body.client_id;
}

/** A client with one request for authorization. */
export interface ClientRequest {
  clientId: string;
  verifier: string;
  redirectUri: string;
  /** The query of the authorization request. */
  query: string;
}

/** Registers a client and builds its request; a parameter that is `undefined` is left out. */
export async function requestOf(
  daemon: TestDaemon,
  parameters: Record<string, string | undefined> = {},
  clientId?: string,
): Promise<ClientRequest> {
  const verifier = randomBytes(32).toString('base64url');
  const id = parameters.client_id ?? clientId ?? (await register(daemon));
  const query = new URLSearchParams();
  const all: Record<string, string | undefined> = {
    ...{ response_type: 'code', client_id: id, redirect_uri: CALLBACK, state: 'as sent' },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value);
  return { clientId: id, verifier, redirectUri: all.redirect_uri ?? CALLBACK, query: query.toString() };
}

/** What the page shows of a request. */
export function look<T = Record<string, unknown>>(browser: Browser, query: string): Promise<Answer<T>> {
  return browser.call<T>(`/v1/oauth/consent?${new URLSearchParams({ request: query })}`);
}

/** Presses Allow or Deny. */
export function decide(
  browser: Browser,
  query: string,
  more: { allow?: boolean; scope?: string } = {},
): Promise<Answer<{ redirectTo: string }>> {
  return browser.call<{ redirectTo: string }>('/v1/oauth/consent', { body: { request: query, allow: true, ...more } });
}

/** Sends a form as a client does. */
export function sendForm<T = Record<string, unknown>>(
  daemon: TestDaemon,
  path: string,
  fields: Record<string, string> | [string, string][],
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  return daemon.call<T>(undefined, path, {
    method: 'POST',
    body: new TextEncoder().encode(new URLSearchParams(fields).toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...fromElsewhere(), ...headers },
  });
}

/** Allows a request and returns the code. */
export async function codeOf(
  browser: Browser,
  { query }: ClientRequest,
  more: { scope?: string } = {},
): Promise<string> {
  const answer = await decide(browser, query, more);
  if (answer.status !== 200) throw new Error(`not allowed: ${answer.status} ${answer.text}`);
  return new URL(answer.body.redirectTo).searchParams.get('code') ?? '';
}

/** Exchanges a code; `more` overrides the client's own parameters. */
export function redeem(
  daemon: TestDaemon,
  code: string,
  { clientId, redirectUri, verifier }: ClientRequest,
  more: Record<string, string> = {},
): Promise<Answer<Tokens>> {
  return sendForm<Tokens>(daemon, '/v1/oauth/token', {
    ...{ grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: redirectUri },
    ...{ code_verifier: verifier, ...more },
  });
}

export function refresh(
  daemon: TestDaemon,
  refreshToken: string,
  { clientId }: Pick<ClientRequest, 'clientId'>,
  more: Record<string, string> = {},
): Promise<Answer<Tokens>> {
  const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, ...more };
  return sendForm<Tokens>(daemon, '/v1/oauth/token', fields);
}

/** Connects a new client to the account of a browser. */
export async function connectClient(
  daemon: TestDaemon,
  browser: Browser,
  more: { scope?: string } = {},
): Promise<{ tokens: Tokens; request: ClientRequest }> {
  const request = await requestOf(daemon);
  const answer = await redeem(daemon, await codeOf(browser, request, more), request);
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.text}`);
  return { tokens: answer.body, request };
}

/** Calls MCP with a token. */
export function callMcp(daemon: TestDaemon, token: string, method: string, params: object = {}): Promise<Answer> {
  return daemon.call(token, '/v1/mcp', {
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: { accept: 'application/json, text/event-stream', ...fromElsewhere() },
  });
}

/** The status of a call of MCP with a token. */
export async function mcpStatus(daemon: TestDaemon, token: string): Promise<number> {
  return (await callMcp(daemon, token, 'tools/list')).status;
}
