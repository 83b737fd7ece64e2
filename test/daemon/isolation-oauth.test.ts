import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  callMcp,
  codeOf,
  connectClient,
  mcpStatus,
  redeem,
  refresh,
  requestOf,
  sendForm,
  signInBrowser,
  startOAuthDaemon,
} from '../features/oauth/oauth-flow.ts';
import type { TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startOAuthDaemon();
});
afterAll(() => daemon.close());

const find = async (token: string) =>
  (await callMcp(daemon, token, 'tools/call', { name: 'memory_search', arguments: { query: 'zephyr' } })).text;

test('a token finds the memories of the account that allowed it, and no others', async () => {
  const [owner, stranger] = [await signInBrowser(daemon), await signInBrowser(daemon)];
  await daemon.call(owner.apiKey, '/v1/memories', { body: { content: 'The zephyr is green' } });
  const [mine, theirs] = [await connectClient(daemon, owner.browser), await connectClient(daemon, stranger.browser)];
  expect(await find(mine.tokens.access_token)).toContain('zephyr is green');
  expect(await find(theirs.tokens.access_token)).not.toContain('zephyr is green');
});

test('a client of two accounts has a separate connection to each: ending one leaves the other', async () => {
  const [owner, stranger] = [await signInBrowser(daemon), await signInBrowser(daemon)];
  const first = await requestOf(daemon);
  const second = await requestOf(daemon, {}, first.clientId);
  const code = await codeOf(owner.browser, first);
  const mine = (await redeem(daemon, code, first)).body;
  const theirs = (await redeem(daemon, await codeOf(stranger.browser, second), second)).body;
  // A replay ends the connection of the code alone.
  await redeem(daemon, code, first);
  expect([await mcpStatus(daemon, mine.access_token), await mcpStatus(daemon, theirs.access_token)]).toEqual([
    401, 200,
  ]);
  const { client_id } = { client_id: first.clientId };
  await sendForm(daemon, '/v1/oauth/revoke', { token: mine.refresh_token, client_id });
  expect((await refresh(daemon, theirs.refresh_token, second)).status).toBe(200);
});

test('a connection is listed, shown and ended by its own account only', async () => {
  const [owner, stranger] = [await signInBrowser(daemon), await signInBrowser(daemon)];
  const { tokens } = await connectClient(daemon, owner.browser);
  const { body } = await owner.browser.call<{ data: { id: string; kind: string }[] }>('/v1/connections');
  const { id } = body.data.find(({ kind }) => kind === 'oauth')!;
  expect((await stranger.browser.call('/v1/connections')).text).not.toContain(id);
  for (const method of ['GET', 'DELETE']) {
    expect((await stranger.browser.call(`/v1/connections/${id}`, { method })).status).toBe(404);
  }
  expect(await mcpStatus(daemon, tokens.access_token)).toBe(200);
});

test('erasing one account leaves the connections of others', async () => {
  const [leaving, staying] = [await signInBrowser(daemon), await signInBrowser(daemon)];
  const gone = await connectClient(daemon, leaving.browser);
  const kept = await connectClient(daemon, staying.browser);
  expect((await daemon.call(leaving.apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);
  expect(await mcpStatus(daemon, gone.tokens.access_token)).toBe(401);
  expect((await refresh(daemon, kept.tokens.refresh_token, kept.request)).status).toBe(200);
});
