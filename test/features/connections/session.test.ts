import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import type { Session } from '../../../src/contract/connections.ts';
import { breakTable } from '../../helpers/broken-tables.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { sendHead } from '../../helpers/late-body.ts';
import {
  freshAddress,
  fromElsewhere,
  keyIn,
  pressButton,
  receiveLink,
  signInAs,
  startSignInDaemon,
  statusOf,
} from '../../helpers/sign-in.ts';
import { browserWith, openBrowser, SAME_ORIGIN, sessionCookieIn, ticketOf } from './browser.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
});
afterAll(() => daemon.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('a session', () => {
  test('made with an API key signs the browser in, and the key stays', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const browser = await openBrowser(daemon, { apiKey });
    const [own, keys] = [await browser.call<Account>('/v1/account'), await daemon.call<Account>(apiKey, '/v1/account')];
    expect([own.status, keys.status]).toEqual([200, 200]);
    expect(own.body.tenantId).toBe(keys.body.tenantId);
    expect(own.body.credential).toMatchObject({ kind: 'session', scope: 'account', id: browser.session.id });
    expect(keys.body.credential).toEqual({ kind: 'apiKey', scope: 'account' });
    expect(own.body.key?.last4).toBe(apiKey.slice(-4));
    const added = await browser.call('/v1/memories', { body: { content: 'Ada likes tea' } });
    expect(added.status).toBe(201);
    expect((await daemon.call(apiKey, `/v1/memories/${added.body.id}`)).status).toBe(200);
  });

  test('is made by a sign-in on the web, beside the key in the redirect', async () => {
    const email = freshAddress();
    const { link } = await receiveLink(daemon, email);
    const answer = await pressButton(daemon, link, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' });
    const cookie = sessionCookieIn(answer);
    expect(await statusOf(daemon, keyIn(answer)!)).toBe(200);
    const read = await daemon.call<Session>(undefined, '/v1/session', { headers: { cookie, ...SAME_ORIGIN } });
    expect(read.status).toBe(200);
    const { data } = (await browserWith(daemon, cookie, read.body).call<{ data: unknown[] }>('/v1/connections')).body;
    expect(data).toMatchObject([{ kind: 'page', client: 'Firefox on Linux', current: true, id: read.body.id }]);
  });

  test('of another account, opened in the same browser, shows nothing on the pages of the first', async () => {
    const first = await openBrowser(daemon, { apiKey: await signInAs(daemon, freshAddress()) });
    const second = await openBrowser(daemon, { apiKey: await signInAs(daemon, freshAddress()) });
    await second.call('/v1/memories', { body: { content: 'Bob likes tea' } });
    const headers = { cookie: second.cookie, 'x-svc-csrf': first.session.csrf };
    for (const path of ['/v1/memories', '/v1/account', '/v1/session']) {
      const refused = await first.call(path, { headers });
      expect([refused.status, refused.body.code], path).toEqual([401, 'unauthenticated']);
    }
    const own = await second.call<{ data: unknown[] }>('/v1/memories', {
      headers: { 'x-svc-csrf': second.session.csrf },
    });
    expect(own.body.data).toHaveLength(1);
  });

  test('survives a reload: its csrf token can be read again', async () => {
    const browser = await openBrowser(daemon, { apiKey: await signInAs(daemon, freshAddress()) });
    const again = await browser.call<Session>('/v1/session');
    expect(again.body).toEqual(browser.session);
    expect(Date.parse(browser.session.expiresAt) - Date.parse(browser.session.createdAt)).toBe(30 * DAY_MS);
  });

  test('has a cookie that scripts, other sites and other paths cannot use, and its answers are not cached', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const answer = await daemon.call(apiKey, '/v1/session', { body: {} });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^svc_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.text).not.toContain(sessionCookieIn(answer).split('=')[1]);
    const browser = await openBrowser(daemon, { apiKey });
    expect((await browser.call('/v1/memories')).headers.get('cache-control')).toBe('no-store');
    expect((await daemon.call(apiKey, '/v1/memories')).headers.get('cache-control')).toBeNull();
  });

  test('is stored only as the hash of its token', async () => {
    const browser = await openBrowser(daemon, { apiKey: await signInAs(daemon, freshAddress()) });
    const rows = await daemon.db.readers.all('SELECT * FROM connections WHERE id = ?', [browser.session.id]);
    expect(rows).toHaveLength(1);
    const token = browser.cookie.split('=')[1]!;
    for (const secret of [token, browser.session.csrf]) expect(JSON.stringify(rows)).not.toContain(secret);
    expect(daemon.logLines.join('\n')).not.toContain(token);
  });

  test('survives the rotation and the revocation of the key', async () => {
    const email = freshAddress();
    const browser = await openBrowser(daemon, { apiKey: await signInAs(daemon, email) });
    const apiKey = await signInAs(daemon, email);
    expect((await browser.call('/v1/account')).status).toBe(200);
    expect((await browser.call('/v1/auth/key', { method: 'DELETE' })).status).toBe(204);
    expect(await statusOf(daemon, apiKey)).toBe(401);
    const account = await browser.call<Account>('/v1/account');
    expect([account.status, account.body.key]).toEqual([200, null]);
  });

  test('is not made with a key that ended before the body of the request arrived', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const { finish } = await sendHead(daemon, apiKey, '/v1/session');
    expect((await daemon.call(apiKey, '/v1/auth/key', { method: 'DELETE' })).status).toBe(204);
    expect(await finish()).toBe(401);
  });

  test('ends by signing out, which removes the cookie', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const [browser, other] = [await openBrowser(daemon, { apiKey }), await openBrowser(daemon, { apiKey })];
    const out = await browser.call('/v1/session', { method: 'DELETE' });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      'svc_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    const after = await browser.call('/v1/account');
    expect([after.status, after.body.detail]).toEqual([401, 'This session has ended. Sign in again, or run svc open.']);
    expect((await other.call('/v1/account')).status).toBe(200);
    expect(await statusOf(daemon, apiKey)).toBe(200);
  });

  test('ends with the account', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const [browser, other] = [await openBrowser(daemon, { apiKey }), await openBrowser(daemon, { apiKey })];
    const ticket = await ticketOf(daemon, apiKey);
    expect((await browser.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    for (const one of [browser, other]) expect((await one.call('/v1/account')).status).toBe(401);
    await expect(openBrowser(daemon, { ticket })).rejects.toThrow('410');
  });

  test('counts against the limits of the account', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const browser = await openBrowser(daemon, { apiKey });
    const remaining = async () => Number((await browser.call('/v1/account')).headers.get('x-ratelimit-remaining'));
    daemon.clock.freeze();
    const first = await remaining();
    await daemon.call(apiKey, '/v1/account');
    expect(await remaining()).toBe(first - 2);
  });
});

describe('without use', () => {
  test('a session ends after 12 hours, and each use prolongs it up to 30 days', async () => {
    daemon.clock.freeze();
    const apiKey = await signInAs(daemon, freshAddress());
    const [idle, busy] = [await openBrowser(daemon, { apiKey }), await openBrowser(daemon, { apiKey })];
    const call = async () => {
      const { status } = await busy.call('/v1/account');
      // Wait for the background write of lastUsedAt.
      await daemon.db.writes.write('daemon', async () => undefined);
      return status;
    };
    daemon.clock.advance(12 * HOUR_MS - 1);
    expect([(await idle.call('/v1/session')).status, await call()]).toEqual([200, 200]);
    daemon.clock.advance(12 * HOUR_MS - 1);
    expect(await call()).toBe(200);
    daemon.clock.advance(1);
    expect((await idle.call('/v1/session')).status).toBe(401);
    for (let hours = 24; hours < 30 * 24; hours += 11) {
      expect([hours, await call()]).toEqual([hours, 200]);
      daemon.clock.advance(11 * HOUR_MS);
    }
    expect(await call()).toBe(401);
  });

  test('ended sessions and tickets are swept', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const { id } = (await openBrowser(daemon, { apiKey })).session;
    await ticketOf(daemon, apiKey);
    daemon.clock.advance(12 * HOUR_MS + 1);
    const kept = await openBrowser(daemon, { apiKey });
    await daemon.connections.sweep();
    const rows = await daemon.db.readers.all('SELECT id FROM connections');
    expect(rows).toEqual([{ id: kept.session.id }]);
    expect(rows).not.toContainEqual({ id });
    expect(await daemon.db.readers.all('SELECT * FROM sessionTickets')).toEqual([]);
  });
});

test('without a working database, sessions get 503 and never 401', async () => {
  const own = await startSignInDaemon();
  try {
    const browser = await openBrowser(own, { apiKey: await signInAs(own, freshAddress()) });
    const repair = await breakTable(own, 'connections');
    const answer = await browser.call('/v1/account');
    await repair();
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect((await browser.call('/v1/account')).status).toBe(200);
  } finally {
    await own.close();
  }
});

describe('a ticket', () => {
  test('opens one session, and only within a minute', async () => {
    daemon.clock.freeze();
    const apiKey = await signInAs(daemon, freshAddress());
    const made = await daemon.call<{ ticket: string; url: string; expiresAt: string }>(apiKey, '/v1/session/ticket', {
      method: 'POST',
    });
    const { ticket, url, expiresAt } = made.body;
    expect([made.status, url]).toEqual([201, `${daemon.publicUrl}/dashboard#ticket=${ticket}`]);
    expect(Date.parse(expiresAt) - daemon.clock.nowMs()).toBe(60_000);
    const browser = await openBrowser(daemon, { ticket });
    expect((await browser.call('/v1/account')).status).toBe(200);
    expect(await statusOf(daemon, apiKey)).toBe(200);
    await expect(openBrowser(daemon, { ticket })).rejects.toThrow('410');
    const late = await ticketOf(daemon, apiKey);
    daemon.clock.advance(60_000);
    await expect(openBrowser(daemon, { ticket: late })).rejects.toThrow('410');
  });

  test('says which account it opens, as long as it would open it, and only to pages of the daemon', async () => {
    daemon.clock.freeze();
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const ticket = await ticketOf(daemon, apiKey);
    const check = (headers: object = {}) =>
      daemon.call(undefined, '/v1/session/ticket/check', {
        body: { ticket },
        headers: { ...fromElsewhere(), ...headers },
      });
    const checked = await check();
    expect([checked.status, checked.body]).toEqual([200, { email }]);
    expect((await check({ origin: 'https://evil.example' })).status).toBe(403);
    await openBrowser(daemon, { ticket });
    expect((await check()).status).toBe(410);
    const late = await ticketOf(daemon, apiKey);
    daemon.clock.advance(60_000);
    const lateBody = { body: { ticket: late }, headers: fromElsewhere() };
    expect((await daemon.call(undefined, '/v1/session/ticket/check', lateBody)).status).toBe(410);
  });

  test('opens one session of two that try at once', async () => {
    const ticket = await ticketOf(daemon, await signInAs(daemon, freshAddress()));
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => openBrowser(daemon, { ticket })));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('ends when the key is replaced or revoked, or a session ends', async () => {
    const email = freshAddress();
    const first = await signInAs(daemon, email);
    const tickets = [await ticketOf(daemon, first)];
    const second = await signInAs(daemon, email);
    const browser = await openBrowser(daemon, { apiKey: second });
    const made = await browser.call<{ ticket: string }>('/v1/session/ticket', { method: 'POST' });
    tickets.push(made.body.ticket);
    await browser.call('/v1/session', { method: 'DELETE' });
    tickets.push(await ticketOf(daemon, second));
    await daemon.call(second, '/v1/auth/key', { method: 'DELETE' });
    for (const ticket of tickets) await expect(openBrowser(daemon, { ticket })).rejects.toThrow('410');
  });

  test('made by a session opens one that ends with it at the latest', async () => {
    daemon.clock.freeze();
    const browser = await openBrowser(daemon, { apiKey: await signInAs(daemon, freshAddress()) });
    daemon.clock.advance(HOUR_MS);
    const { ticket } = (await browser.call<{ ticket: string }>('/v1/session/ticket', { method: 'POST' })).body;
    const next = await openBrowser(daemon, { ticket });
    expect(next.session.expiresAt).toBe(browser.session.expiresAt);
  });

  test('that is unknown is refused like one that was used, and tries are limited', async () => {
    const ticket = await ticketOf(daemon, await signInAs(daemon, freshAddress()));
    await openBrowser(daemon, { ticket });
    const headers = fromElsewhere();
    daemon.clock.freeze();
    const redeem = (one: string) => daemon.call(undefined, '/v1/session', { body: { ticket: one }, headers });
    const [used, unknown] = [await redeem(ticket), await redeem('x'.repeat(43))];
    expect([used.status, unknown.status]).toEqual([410, 410]);
    expect(used.body.detail).toBe(unknown.body.detail);
    const tries = await Promise.all(Array.from({ length: 30 }, (_, index) => redeem(`guess-${index}`)));
    expect(tries.some(({ status }) => status === 429)).toBe(true);
    const check = { body: { ticket: 'x'.repeat(43) }, headers };
    expect((await daemon.call(undefined, '/v1/session/ticket/check', check)).status).toBe(429);
  });
});

test('more than 50 sessions of an account end the one that was unused for the longest time', async () => {
  daemon.clock.freeze();
  const apiKey = await signInAs(daemon, freshAddress());
  await daemon.accounts.setTier((await daemon.call<Account>(apiKey, '/v1/account')).body.tenantId, 'Enterprise');
  const browsers = [];
  for (let count = 0; count < 51; count += 1) {
    daemon.clock.advance(1);
    browsers.push(await openBrowser(daemon, { apiKey }));
  }
  const statuses = await Promise.all(browsers.map(async (one) => (await one.call('/v1/session')).status));
  expect(statuses).toEqual([401, ...Array<number>(50).fill(200)]);
});
