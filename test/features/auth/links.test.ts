import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import {
  askFor,
  freshAddress,
  keyIn,
  pressButton,
  receiveLink,
  sendRaw,
  signInAs,
  startSignInDaemon,
  statusOf,
  tokenIn,
  visit,
} from '../../helpers/sign-in.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon({ config: { publicUrl: 'https://memory.example.org' } });
});
afterAll(() => daemon.close());

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('a mail scanner cannot sign anyone in', () => {
  test('twenty GET and twenty HEAD requests consume nothing and rotate nothing', async () => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    const { link } = await receiveLink(daemon, email);
    for (let round = 0; round < 20; round += 1) {
      const page = await visit(daemon, link);
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toContain('text/html');
      expect(page.headers.get('location')).toBeNull();
      const head = await visit(daemon, link, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
    }
    expect(await statusOf(daemon, oldKey)).toBe(200);

    const newKey = keyIn(await pressButton(daemon, link));
    expect(await statusOf(daemon, newKey!)).toBe(200);
    expect(await statusOf(daemon, oldKey)).toBe(401);
  });

  test('signs in the browser that requested the link without confirmation', async () => {
    const { link, cookie } = await receiveLink(daemon, freshAddress());
    const answer = await visit(daemon, link, { headers: { cookie } });
    expect(answer.status).toBe(303);
    expect(await statusOf(daemon, keyIn(answer)!)).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-svc_signin=; .*Max-Age=0/);
  });

  const notAClick: [string, { method?: string; headers?: Record<string, string> }][] = [
    ['HEAD', { method: 'HEAD' }],
    ['a prefetch', { headers: { 'sec-purpose': 'prefetch' } }],
    ['a prerender', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
    ['a prefetch by an older browser', { headers: { purpose: 'prefetch' } }],
    ['a preview', { headers: { purpose: 'preview' } }],
  ];
  test.each(notAClick)('%s with the cookie of the same browser does not count as a click', async (_name, options) => {
    const { link, cookie } = await receiveLink(daemon, freshAddress());
    const answer = await visit(daemon, link, { ...options, headers: { cookie, ...options.headers } });
    expect(answer.status).toBe(200);
    expect((await visit(daemon, link, { headers: { cookie } })).status).toBe(303);
  });

  test('a cookie of another link or a made-up cookie does not skip the confirmation', async () => {
    const { link } = await receiveLink(daemon, freshAddress());
    const other = await receiveLink(daemon, freshAddress());
    const name = '__Host-svc_signin';
    for (const cookie of [other.cookie, `${name}=`, `${name}=x`, `${name}=${tokenIn(link)}`, name]) {
      expect((await visit(daemon, link, { headers: { cookie } })).status).toBe(200);
    }
    expect((await pressButton(daemon, link)).status).toBe(303);
  });
});

describe('a link works once', () => {
  test('fifty concurrent redemptions yield one success and one valid key', async () => {
    const email = freshAddress();
    const oldKey = await signInAs(daemon, email);
    const { link } = await receiveLink(daemon, email);
    const answers = await Promise.all(Array.from({ length: 50 }, () => pressButton(daemon, link)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([303, ...Array(49).fill(410)]);
    const keys = answers.flatMap((answer) => keyIn(answer) ?? []);
    expect(await statusOf(daemon, keys[0]!)).toBe(200);
    expect(await statusOf(daemon, oldKey)).toBe(401);
  });

  test('redeeming one link voids the other links of the address, even if the clock is set back', async () => {
    const email = freshAddress();
    const first = await receiveLink(daemon, email);
    const second = await receiveLink(daemon, email);
    const apiKey = keyIn(await pressButton(daemon, second.link))!;
    daemon.clock.advance(-5 * MINUTE);
    for (const { link, cookie } of [first, second]) {
      expect((await pressButton(daemon, link)).status).toBe(410);
      expect((await visit(daemon, link)).status).toBe(410);
      expect((await visit(daemon, link, { headers: { cookie } })).status).toBe(410);
    }
    daemon.clock.advance(5 * MINUTE);
    expect(await statusOf(daemon, apiKey)).toBe(200);
  });

  test('links of other addresses stay valid after a sign-in', async () => {
    const { link } = await receiveLink(daemon, freshAddress());
    await signInAs(daemon, freshAddress());
    expect((await pressButton(daemon, link)).status).toBe(303);
  });

  test('an unknown token gets 410, for programs and browsers', async () => {
    for (const token of ['', 'x', 'x'.repeat(43), '%00', encodeURIComponent("' OR 1=1 --")]) {
      const link = `${daemon.baseUrl}/v1/auth/callback?token=${token}`;
      expect((await visit(daemon, link)).body).toMatchObject({ code: 'gone' });
      const page = await visit(daemon, link, { headers: { accept: 'text/html,*/*' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8']);
    }
    const none = await daemon.call(undefined, '/v1/auth/callback');
    expect(none.status).toBe(410);
  });

  test.each(['token=a&token=b', `token=${'a'.repeat(201)}`, 'token=a&tenantId=ten_1', ''])(
    'rejects a malformed form (%s) with 400',
    async (form) => {
      const answer = await daemon.call(undefined, '/v1/auth/callback', {
        method: 'POST',
        body: new TextEncoder().encode(form),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(answer.status).toBe(400);
    },
  );
});

describe('a link expires after fifteen minutes', () => {
  test.each([
    ['14:59', 14 * MINUTE + 59 * SECOND, 303],
    ['15:01', 15 * MINUTE + 1 * SECOND, 410],
  ])('at the age of %s', async (_age, ageMs, status) => {
    const own = await startSignInDaemon();
    own.clock.freeze();
    const { link } = await receiveLink(own, 'ada@example.com');
    own.clock.advance(ageMs);
    expect((await visit(own, link)).status).toBe(status === 303 ? 200 : 410);
    expect((await pressButton(own, link)).status).toBe(status);
    await own.close();
  });

  test('the response includes the expiry', async () => {
    const before = daemon.clock.nowMs();
    const { body } = await askFor(daemon, { email: freshAddress() });
    const expiresAt = Date.parse(body.expiresAt as string);
    expect(expiresAt).toBeGreaterThanOrEqual(before + 15 * MINUTE);
    expect(expiresAt).toBeLessThanOrEqual(daemon.clock.nowMs() + 15 * MINUTE);
  });
});

describe('a link leads only to SVC_PUBLIC_URL', () => {
  test('regardless of the host in the request', async () => {
    const email = freshAddress();
    const body = JSON.stringify({ email });
    const { status } = await sendRaw(
      daemon,
      [
        'POST /v1/auth/magic-link HTTP/1.1',
        'Host: evil.example',
        'X-Forwarded-Host: evil.example',
        'X-Forwarded-Proto: http',
        'X-Original-Host: evil.example',
        'Forwarded: host=evil.example',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ],
      body,
    );
    expect(status).toBe(202);
    const mail = await daemon.mailbox.waitForMail(email);
    expect(mail.raw).not.toContain('evil.example');
    expect(await daemon.mailbox.latestLink(email)).toMatch(
      /^https:\/\/memory\.example\.org\/v1\/auth\/callback\?token=[\w-]{43}$/,
    );
  });

  const targets = [
    '//evil.example',
    '\\evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    'https://evil.example',
  ];
  test.each(targets)('ignores or rejects a redirect target (%s)', async (target) => {
    const names = ['next', 'redirect', 'redirect_uri', 'returnTo', 'url'];
    for (const name of names) {
      expect((await askFor(daemon, { email: freshAddress(), [name]: target })).status).toBe(400);
    }
    const { link } = await receiveLink(daemon, freshAddress());
    const query = new URLSearchParams(names.map((name) => [name, target]));
    const page = await visit(daemon, `${link}&${query}`);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain('evil.example');
    const form = new URLSearchParams({ token: tokenIn(link), next: target }).toString();
    const refused = await daemon.call(undefined, '/v1/auth/callback', {
      method: 'POST',
      body: new TextEncoder().encode(form),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(refused.status).toBe(400);
    const answer = await pressButton(daemon, link);
    expect(answer.headers.get('location')).toMatch(
      /^https:\/\/memory\.example\.org\/dashboard#key=svc_live_[0-9a-f]{32}$/,
    );
  });
});
