import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/contract/connections.ts';
import { clientNameOf } from '../../../src/features/connections/client-name.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { freshAddress, receiveLink, signInAs, startSignInDaemon, visit } from '../../helpers/sign-in.ts';
import { browserWith, openBrowser, SAME_ORIGIN, sessionCookieIn } from './browser.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
});
afterAll(() => daemon.close());

interface Page {
  data: Connection[];
  nextCursor: string | null;
}

const list = async (apiKey: string, query = '') => (await daemon.call<Page>(apiKey, `/v1/connections${query}`)).body;

describe('connections', () => {
  test('are listed latest first, page by page, with when they were used', async () => {
    daemon.clock.freeze();
    const apiKey = await signInAs(daemon, freshAddress());
    const made: string[] = [(await list(apiKey)).data[0]!.id];
    for (let count = 0; count < 3; count += 1) made.unshift((await openBrowser(daemon, { apiKey })).session.id);
    const seen: string[] = [];
    let query = '?limit=2';
    for (;;) {
      const { data, nextCursor } = await list(apiKey, query);
      seen.push(...data.map(({ id }) => id));
      if (nextCursor === null) break;
      query = `?limit=2&cursor=${nextCursor}`;
    }
    expect(seen).toEqual(made);
    const nowText = new Date(daemon.clock.nowMs()).toISOString();
    expect((await list(apiKey)).data[0]).toEqual({
      id: made[0],
      kind: 'page',
      client: 'Unknown browser',
      verifiedHost: null,
      space: null,
      scope: 'account',
      address: expect.any(String),
      createdAt: nowText,
      lastUsedAt: nowText,
      expiresAt: new Date(daemon.clock.nowMs() + 30 * 24 * 3_600_000).toISOString(),
      current: false,
    });
  });

  test('say when they were used last, to the minute', async () => {
    daemon.clock.freeze();
    const apiKey = await signInAs(daemon, freshAddress());
    const browser = await openBrowser(daemon, { apiKey });
    const lastUsed = async () => {
      await browser.call('/v1/account');
      await daemon.db.writes.write('daemon', async () => undefined);
      const { lastUsedAt } = (await list(apiKey)).data.find(({ id }) => id === browser.session.id)!;
      return Date.parse(lastUsedAt);
    };
    const first = await lastUsed();
    daemon.clock.advance(59_999);
    expect(await lastUsed()).toBe(first);
    daemon.clock.advance(1);
    expect(await lastUsed()).toBe(first + 60_000);
  });

  test('end at once when they are revoked, by the key or by another session', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const [one, other] = [await openBrowser(daemon, { apiKey }), await openBrowser(daemon, { apiKey })];
    const path = (browser: typeof one) => `/v1/connections/${browser.session.id}`;
    expect((await one.call(path(other), { method: 'DELETE' })).status).toBe(204);
    expect((await other.call('/v1/account')).status).toBe(401);
    expect((await daemon.call(apiKey, path(other))).status).toBe(404);
    expect((await daemon.call(apiKey, path(one), { method: 'DELETE' })).status).toBe(204);
    expect((await one.call('/v1/account')).status).toBe(401);
    expect((await daemon.call(apiKey, path(one), { method: 'DELETE' })).status).toBe(404);
  });

  test('that have ended are not found, before they are swept too', async () => {
    daemon.clock.freeze();
    const apiKey = await signInAs(daemon, freshAddress());
    const { id } = (await openBrowser(daemon, { apiKey })).session;
    daemon.clock.advance(12 * 3_600_000);
    expect((await list(apiKey)).data).toEqual([]);
    expect((await daemon.call(apiKey, `/v1/connections/${id}`)).status).toBe(404);
  });

  test('have an ETag, which If-Match ignores the use of', async () => {
    daemon.clock.freeze();
    const apiKey = await signInAs(daemon, freshAddress());
    const browser = await openBrowser(daemon, { apiKey });
    const path = `/v1/connections/${browser.session.id}`;
    const read = await daemon.call(apiKey, path);
    const etag = read.headers.get('etag')!;
    expect((await daemon.call(apiKey, path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    daemon.clock.advance(60_000);
    await browser.call('/v1/account');
    await daemon.db.writes.write('daemon', async () => undefined);
    expect((await daemon.call(apiKey, path, { headers: { 'if-none-match': etag } })).status).toBe(200);
    const end = (tag: string) => daemon.call(apiKey, path, { method: 'DELETE', headers: { 'if-match': tag } });
    expect((await end('"x"')).status).toBe(412);
    expect((await browser.call('/v1/account')).status).toBe(200);
    expect((await end(etag)).status).toBe(204);
  });

  test('an import of a session that is signed out meanwhile stops, as with a revoked key', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const browser = await openBrowser(daemon, { apiKey });
    const lines = (from: number) =>
      Array.from({ length: 600 }, (_, index) => `${JSON.stringify({ content: `tea ${from + index}` })}\n`).join('');
    let signedOut = false;
    async function* body() {
      yield Buffer.from(lines(0));
      await browser.call('/v1/session', { method: 'DELETE' });
      signedOut = true;
      yield Buffer.from(lines(600));
    }
    const response = await fetch(`${daemon.baseUrl}/v1/import`, {
      method: 'POST',
      headers: {
        cookie: browser.cookie,
        'x-svc-csrf': browser.session.csrf,
        'content-type': 'application/x-ndjson',
        ...SAME_ORIGIN,
      },
      body: body() as unknown as BodyInit,
      duplex: 'half',
    } as RequestInit);
    expect([signedOut, response.status]).toEqual([true, 401]);
  });
});

test('the mailed link sets the session cookie in the browser that requested it, without a button', async () => {
  const { link, cookie: requested } = await receiveLink(daemon, freshAddress());
  const answer = await visit(daemon, link, { headers: { cookie: requested } });
  expect(answer.status).toBe(303);
  const cookie = sessionCookieIn(answer);
  const session = await daemon.call(undefined, '/v1/session', { headers: { cookie, ...SAME_ORIGIN } });
  const browser = browserWith(daemon, cookie, session.body as never);
  expect((await browser.call('/v1/memories', { body: { content: 'tea' } })).status).toBe(201);
});

test('the code of a terminal makes no session', async () => {
  const login = { codeChallenge: 'x'.repeat(43), device: 'desk' };
  const { link } = await receiveLink(daemon, freshAddress(), login);
  expect(sessionCookieIn(await visit(daemon, link))).toBe('');
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/138.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  ['<script>alert(1)</script>', 'Unknown browser'],
  ['x'.repeat(10_000), 'Unknown browser'],
  [undefined, 'Unknown browser'],
])('the client of %s is %s', (userAgent, name) => {
  expect(clientNameOf(userAgent)).toBe(name);
});
