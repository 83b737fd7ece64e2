import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { insertToken } from '../../../src/features/oauth/tokens-store.ts';
import { hashSecret } from '../../../src/lib/secret.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import type { Browser } from '../connections/browser.ts';
import { connectClient, mcpStatus, refresh, register, signInBrowser, startOAuthDaemon } from './oauth-flow.ts';

const DAY_MS = 24 * 3_600_000;

let daemon: TestDaemon;
let browser: Browser;

beforeAll(async () => {
  daemon = await startOAuthDaemon();
});
beforeEach(async () => {
  ({ browser } = await signInBrowser(daemon));
});
afterAll(() => daemon.close());

/** What is stored of the grant of a token, by kind. */
async function stored(token: string): Promise<Record<string, number>> {
  const rows = await daemon.db.readers.all<{ kind: string; count: number }>(
    `SELECT kind, COUNT(*) AS count FROM oauthTokens WHERE connectionId =
       (SELECT connectionId FROM oauthTokens WHERE tokenHash = ?) GROUP BY kind`,
    [hashSecret(token)],
  );
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
}

test('a client that refreshes in a loop fills no disk, and a spent token still ends its connection', async () => {
  const { tokens: first, request } = await connectClient(daemon, browser);
  let latest = first;
  for (let count = 0; count < 30; count += 1) latest = (await refresh(daemon, latest.refresh_token, request)).body;
  expect(await stored(latest.refresh_token)).toEqual({ code: 1, refresh: 1, access: 10 });
  expect(await mcpStatus(daemon, latest.access_token)).toBe(200);
  expect(await mcpStatus(daemon, first.access_token)).toBe(401);
  expect((await refresh(daemon, first.refresh_token, request)).status).toBe(400);
  expect(await mcpStatus(daemon, latest.access_token)).toBe(401);
  expect((await refresh(daemon, latest.refresh_token, request)).status).toBe(400);
});

test('a spent token does not end the connection of its client if another client sends it', async () => {
  const { tokens, request } = await connectClient(daemon, browser);
  const renewed = (await refresh(daemon, tokens.refresh_token, request)).body;
  const clientId = await register(daemon);
  expect((await refresh(daemon, tokens.refresh_token, { clientId })).status).toBe(400);
  expect(await mcpStatus(daemon, renewed.access_token)).toBe(200);
});

test('what the tokens of a grant have in common is neither a token nor a session', async () => {
  const { tokens, request } = await connectClient(daemon, browser);
  const family = tokens.refresh_token.slice('svc_ort_'.length, -43);
  for (const token of [family, `svc_ort_${family}`, `svc_oat_${family}`, `svc_dev_${family}`]) {
    expect((await refresh(daemon, token, request)).status).toBe(400);
    expect(await mcpStatus(daemon, token)).toBe(401);
  }
  const headers = { cookie: `svc_session=${family}`, 'sec-fetch-site': 'same-origin' };
  expect((await daemon.call(undefined, '/v1/account', { headers })).status).toBe(401);
  expect((await refresh(daemon, tokens.refresh_token, request)).status).toBe(200);
});

test('a refresh token from before tokens had families works once, and its reuse ends the connection', async () => {
  const { tokens, request } = await connectClient(daemon, browser);
  const old = `svc_ort_${'o'.repeat(43)}`;
  await daemon.db.writes.write('daemon', async (connection) => {
    const row = await connection.get<Parameters<typeof insertToken>[1]>(
      'SELECT * FROM oauthTokens WHERE tokenHash = ?',
      [hashSecret(tokens.refresh_token)],
    );
    await connection.run('DELETE FROM oauthTokens WHERE tokenHash = ?', [row!.tokenHash]);
    await insertToken(connection, { ...row!, tokenHash: hashSecret(old) });
  });
  const second = (await refresh(daemon, old, request)).body;
  const third = (await refresh(daemon, second.refresh_token, request)).body;
  expect(await mcpStatus(daemon, third.access_token)).toBe(200);
  expect((await refresh(daemon, old, request)).status).toBe(400);
  expect(await mcpStatus(daemon, third.access_token)).toBe(401);
});

test('a connection that was revoked leaves no tokens behind', async () => {
  const { tokens } = await connectClient(daemon, browser);
  const kept = await connectClient(daemon, browser);
  const { body } = await browser.call<{ data: { id: string }[] }>('/v1/connections');
  await browser.call(`/v1/connections/${body.data[1]!.id}`, { method: 'DELETE' });
  expect(await stored(tokens.refresh_token)).not.toEqual({});
  await daemon.oauth.grants.sweep();
  expect(await stored(tokens.refresh_token)).toEqual({});
  expect(await mcpStatus(daemon, kept.tokens.access_token)).toBe(200);
});

test('a grant is forgotten once its refresh token has expired', async () => {
  const { tokens } = await connectClient(daemon, browser);
  daemon.clock.advance(31 * DAY_MS);
  await daemon.oauth.grants.sweep();
  expect(await stored(tokens.refresh_token)).toEqual({});
});
