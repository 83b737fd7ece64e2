import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Browser } from '../features/connections/browser.ts';
import { askByMail, openLink, press } from '../features/oauth/mailed-flow.ts';
import {
  codeOf,
  connectClient,
  mcpStatus,
  redeem,
  refresh,
  requestOf,
  signInBrowser,
  startOAuthDaemon,
} from '../features/oauth/oauth-flow.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';
import { freshAddress } from '../helpers/sign-in.ts';

// Two daemons are one authorization server: what one of them issues or ends, the other accepts or refuses at once.

const NAME = 'oauth';
let one: TestDaemon;
let other: TestDaemon;
let browser: Browser;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const databaseUrl = await ensureDatabase(adminUrl, NAME, template);
  one = await startOAuthDaemon({ databaseUrl });
  other = await startOAuthDaemon({ databaseUrl });
  ({ browser } = await signInBrowser(one));
}, 60_000);

afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await dropDatabase(inject('postgres').adminUrl, NAME);
});

test('a code that is used at both daemons at once gives tokens to one at most, and none of them stays valid', async () => {
  for (let round = 0; round < 5; round += 1) {
    const request = await requestOf(one);
    const code = await codeOf(browser, request);
    const answers = await Promise.all([one, other, one, other].map((daemon) => redeem(daemon, code, request)));
    const granted = answers.filter(({ status }) => status === 200);
    expect(granted.length).toBeLessThanOrEqual(1);
    for (const { body } of granted) expect(await mcpStatus(other, body.access_token)).toBe(401);
  }
});

test('a refresh token that is used at both daemons at once ends the connection', async () => {
  const { tokens, request } = await connectClient(one, browser);
  const answers = await Promise.all([one, other].map((daemon) => refresh(daemon, tokens.refresh_token, request)));
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  for (const { status, body } of answers) {
    if (status === 200) expect(await mcpStatus(one, body.access_token)).toBe(401);
  }
  expect(await mcpStatus(other, tokens.access_token)).toBe(401);
});

test('a token of one daemon works at the other, until the connection is revoked at either', async () => {
  const { tokens, request } = await connectClient(one, browser);
  expect(await mcpStatus(other, tokens.access_token)).toBe(200);
  const renewed = (await refresh(other, tokens.refresh_token, request)).body;
  expect(await mcpStatus(one, renewed.access_token)).toBe(200);
  const { body } = await browser.call<{ data: { id: string }[] }>('/v1/connections');
  expect((await browser.call(`/v1/connections/${body.data[0]!.id}`, { method: 'DELETE' })).status).toBe(204);
  for (const daemon of [one, other]) expect(await mcpStatus(daemon, renewed.access_token)).toBe(401);
});

test('a mailed link that is answered at both daemons at once gives one code at most', async () => {
  const asked = await askByMail(one, (await requestOf(one)).query, freshAddress());
  // They are one server to the browser: a link of one opens at the other.
  expect((await openLink(other, asked)).status).toBe(200);
  const answers = await Promise.all([one, other, one, other].map((daemon) => press(daemon, asked)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
});
