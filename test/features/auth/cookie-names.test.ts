import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, TestDaemon } from '../../helpers/daemon.ts';
import { cookiesOf, freshAddress, keyIn, pressButton, receiveLink, visit } from '../../helpers/sign-in.ts';
import { askByMail, press, returnOf } from '../oauth/mailed-flow.ts';
import { requestOf, startOAuthDaemon } from '../oauth/oauth-flow.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startOAuthDaemon({ config: { publicUrl: 'https://memory.example.org' } });
});
afterAll(() => daemon.close());

/** Fails unless every cookie that a response sets is bound to the host. */
function expectBound(answer: Answer): void {
  const cookies = answer.headers.getSetCookie();
  expect(cookies).not.toEqual([]);
  for (const cookie of cookies) expect(cookie).toMatch(/^__Host-\w+=[^;]*; Path=\/; HttpOnly; .*; Secure$/);
}

test('over https every cookie of a sign-in is bound to the host, and signs in without confirmation', async () => {
  const { link, cookie } = await receiveLink(daemon, freshAddress());
  expect(cookie).toMatch(/^__Host-svc_signin=/);
  const signedIn = await visit(daemon, link, { headers: { accept: 'text/html', cookie } });
  expect(keyIn(signedIn)).toBeDefined();
  expectBound(signedIn);
});

test('over https the cookie of another host, which cannot have the prefix, does not count', async () => {
  const { link, cookie } = await receiveLink(daemon, freshAddress());
  const page = await visit(daemon, link, { headers: { accept: 'text/html', cookie: cookie.replace('__Host-', '') } });
  expect([page.status, keyIn(page)]).toEqual([200, undefined]);
  expectBound(page);
  expect(keyIn(await pressButton(daemon, link, { origin: 'null', cookie: cookiesOf(page) }))).toBeDefined();
});

test('over https the cookie of an authorization request is bound to the host, and allows a client', async () => {
  const { query } = await requestOf(daemon);
  const asked = await askByMail(daemon, query, freshAddress());
  expect(asked.cookie).toMatch(/^__Host-svc_oauth=/);
  const unbound = await press(daemon, { ...asked, cookie: asked.cookie.replace('__Host-', '') });
  expect(unbound.status).toBe(403);
  expect(returnOf(await press(daemon, asked)).searchParams.get('code')).toBeTruthy();
});
