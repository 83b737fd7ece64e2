import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import {
  cookiesOf,
  freshAddress,
  fromElsewhere,
  keyIn,
  pressButton,
  receiveLink,
  signInAs,
  startSignInDaemon,
  statusOf,
  visit,
} from '../../helpers/sign-in.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
});
afterAll(() => daemon.close());

const form = (fields: Record<string, string>) => new TextEncoder().encode(new URLSearchParams(fields).toString());
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('a cross-site form submitted to the callback', () => {
  const foreign: [string, Record<string, string>][] = [
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from a sibling domain of the same site', { 'sec-fetch-site': 'same-site', origin: 'https://other.example.org' }],
    ['from direct navigation', { 'sec-fetch-site': 'none' }],
    ['from another site in an older browser', { origin: 'https://evil.example' }],
    ['from a page without an origin', { origin: 'null' }],
    ['with malformed metadata', { 'sec-fetch-site': 'Same-Origin' }],
    ['from the same host with another scheme', { origin: 'https://127.0.0.1' }],
    ['with metadata that contradicts the origin', { 'sec-fetch-site': 'cross-site', origin: 'self' }],
  ];
  test.each(foreign)('%s is rejected and consumes nothing', async (_name, { origin, ...headers }) => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    const { link } = await receiveLink(daemon, email);
    const answer = await pressButton(daemon, link, {
      ...headers,
      ...(origin !== undefined && { origin: origin === 'self' ? daemon.publicUrl : origin }),
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect(answer.headers.get('location')).toBeNull();
    expect(await statusOf(daemon, oldKey)).toBe(200);

    const own = await pressButton(daemon, link, { 'sec-fetch-site': 'same-origin', origin: daemon.publicUrl });
    expect(await statusOf(daemon, keyIn(own)!)).toBe(200);
  });

  test('accepts a form with origin null if it carries the confirmation cookie of that link', async () => {
    const { link } = await receiveLink(daemon, freshAddress());
    const other = await receiveLink(daemon, freshAddress());
    const otherPage = await visit(daemon, other.link);
    const refused = await pressButton(daemon, link, { origin: 'null', cookie: cookiesOf(otherPage) });
    expect(refused.status).toBe(403);
    const page = await visit(daemon, link);
    expect(page.headers.get('set-cookie')).toMatch(/^svc_confirm=[0-9a-f]{64}; .*HttpOnly; SameSite=Strict/);
    expect((await pressButton(daemon, link, { origin: 'null', cookie: cookiesOf(page) })).status).toBe(303);
  });

  test('accepts a form without an Origin header, which only non-browser clients send', async () => {
    const { link } = await receiveLink(daemon, freshAddress());
    expect((await pressButton(daemon, link)).status).toBe(303);
  });
});

describe('another site cannot request a link on behalf of this browser', () => {
  test.each([
    ['a form', FORM['content-type'], form({ email: 'eve@example.com' })],
    ['a multipart form', 'multipart/form-data; boundary=x', '--x\r\n\r\n--x--'],
    ['JSON sent as plain text', 'text/plain', JSON.stringify({ email: 'eve@example.com' })],
    ['no content type', '', JSON.stringify({ email: 'eve@example.com' })],
  ])('%s sets no cookie and sends no mail', async (_name, type, body) => {
    const answer = await daemon.call(undefined, '/v1/auth/magic-link', {
      body,
      headers: { 'content-type': type, ...fromElsewhere() },
    });
    expect([400, 415]).toContain(answer.status);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await daemon.mailbox.mailsTo('eve@example.com')).toEqual([]);
  });

  test('a form cannot redeem a code', async () => {
    const answer = await daemon.call(undefined, '/v1/auth/token', {
      body: form({ code: '0000-0000', codeVerifier: 'v'.repeat(43) }),
      headers: FORM,
    });
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  test('the cookie is HttpOnly, SameSite and limited to /v1/auth, over https to the host and Secure', async () => {
    const secure = await startSignInDaemon({ config: { publicUrl: 'https://memory.example.org' } });
    for (const [one, name, path, secureFlag] of [
      [daemon, 'svc_signin', '/v1/auth', ''],
      [secure, '__Host-svc_signin', '/', '; Secure'],
    ] as const) {
      const answer = await one.call(undefined, '/v1/auth/magic-link', { body: { email: freshAddress() } });
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          new RegExp(`^${name}=[\\w-]{43}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=900${secureFlag}$`),
        ),
      ]);
    }
    await secure.close();
  });
});
