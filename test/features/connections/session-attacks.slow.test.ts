import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/contract/connections.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { loadDocument, type ServedDocument } from '../../helpers/openapi.ts';
import {
  freshAddress,
  fromElsewhere,
  pressButton,
  receiveLink,
  signInAs,
  startSignInDaemon,
} from '../../helpers/sign-in.ts';
import { type Browser, browserWith, openBrowser, SAME_ORIGIN, sessionCookieIn, ticketOf } from './browser.ts';

const APP = 'https://app.example.com';

let daemon: TestDaemon;
let served: ServedDocument;
let apiKey: string;
let browser: Browser;

beforeAll(async () => {
  daemon = await startSignInDaemon({ config: { corsOrigins: [APP], defaultTier: 'Enterprise' } });
  served = await loadDocument(daemon);
  apiKey = await signInAs(daemon, freshAddress());
  browser = await openBrowser(daemon, { apiKey });
});
afterAll(() => daemon.close());

interface Operation {
  method: string;
  path: string;
}

/** Every operation that needs a credential, with ids that lead nowhere. */
const protectedOperations = () =>
  served.operations
    .filter(({ security = [] }) => ['apiKey', 'session'].every((name) => security.some((one) => name in one)))
    .map(({ method, path }) => ({ method, path: path.replace(/\{\w+\}/g, 'x') }));

const oneOfEachMethod = (operations: readonly Operation[]) => [
  ...new Map(operations.map((operation) => [operation.method, operation])).values(),
];

async function statusesOf(
  operations: readonly Operation[],
  headers: Record<string, string>,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { method, path } of operations) {
    const answer = await daemon.call(undefined, path, {
      method,
      headers: { cookie: browser.cookie, ...fromElsewhere(), ...headers },
      ...(method !== 'GET' && method !== 'DELETE' && { body: { colour: 1 } }),
    });
    found[`${method} ${path}`] = answer.status;
    if (answer.status === 403) expect(answer.body.code).toBe('forbidden');
  }
  return found;
}

const all = (operations: readonly Operation[], status: number) =>
  Object.fromEntries(operations.map(({ method, path }) => [`${method} ${path}`, status]));

describe('a cookie', () => {
  const foreign: [string, Record<string, string>][] = [
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' }],
    ['from direct navigation', { 'sec-fetch-site': 'none' }],
    ['from another site in an older browser', { origin: 'https://evil.example' }],
    ['from another port of the host', { origin: 'http://127.0.0.1:9' }],
    ['from another scheme of the host', { origin: 'https://127.0.0.1' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from an allowed CORS origin', { origin: APP }],
    ['from an allowed CORS origin that claims to be the same', { ...SAME_ORIGIN, origin: APP }],
    ['with malformed metadata', { 'sec-fetch-site': 'Same-Origin' }],
  ];
  test('from another site is refused on every route, even with the csrf token', async () => {
    const operations = protectedOperations();
    expect(operations.length).toBeGreaterThan(50);
    const sent = { ...foreign[0]![1], 'x-svc-csrf': browser.session.csrf };
    expect(await statusesOf(operations, sent)).toEqual(all(operations, 403));
  });

  test.each(foreign.slice(1))('%s is refused with every method, even with the csrf token', async (_, headers) => {
    const operations = oneOfEachMethod(protectedOperations());
    const sent = { ...headers, 'x-svc-csrf': browser.session.csrf };
    expect(await statusesOf(operations, sent)).toEqual(all(operations, 403));
  });

  test.each(foreign)('%s is refused no public route, but makes no session', async (_, headers) => {
    const sent = { cookie: browser.cookie, ...headers, ...fromElsewhere() };
    expect((await daemon.call(undefined, '/v1/openapi.json', { headers: sent })).status).toBe(200);
    const ticket = await ticketOf(daemon, apiKey);
    for (const [key, body] of [
      [apiKey, {}],
      [undefined, { ticket }],
    ] as const) {
      const answer = await daemon.call(key, '/v1/session', { body, headers: sent });
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null]);
    }
    expect((await openBrowser(daemon, { ticket })).session.id).toMatch(/^con_/);
  });

  test('changes nothing without its csrf token on every route, nor with a wrong one, and reads', async () => {
    const unsafe = protectedOperations().filter(({ method }) => method !== 'GET');
    const other = await openBrowser(daemon, { apiKey });
    const wrong = ['', 'x', other.session.csrf, browser.session.csrf.slice(0, -1), browser.cookie.split('=')[1]!];
    expect(await statusesOf(unsafe, SAME_ORIGIN)).toEqual(all(unsafe, 403));
    const some = oneOfEachMethod(unsafe);
    for (const csrf of wrong) {
      expect(await statusesOf(some, { ...SAME_ORIGIN, 'x-svc-csrf': csrf })).toEqual(all(some, 403));
    }
    const reads = await statusesOf([{ method: 'GET', path: '/v1/memories' }], SAME_ORIGIN);
    expect(reads).toEqual({ 'GET /v1/memories': 200 });
  });

  test('of the same origin in an older browser, or under another name of the daemon over http, is accepted', async () => {
    const call = (headers: Record<string, string>) =>
      daemon.call(undefined, '/v1/account', { headers: { cookie: browser.cookie, ...headers } });
    expect((await call({})).status).toBe(200);
    expect((await call({ origin: daemon.publicUrl })).status).toBe(200);
    expect((await call({ ...SAME_ORIGIN, origin: daemon.baseUrl })).status).toBe(200);
  });

  test.each([
    ['an invalid key', 'Bearer svc_live_00000000000000000000000000000000'],
    ['another scheme', 'Basic YTpi'],
    ['nothing', ''],
  ])('does not count beside an Authorization header with %s', async (_, authorization) => {
    const answer = await browser.call('/v1/account', { headers: { authorization } });
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
  });

  test('does not count beside a valid key of another account', async () => {
    const other = await signInAs(daemon, freshAddress());
    const mine = (await browser.call<{ tenantId: string }>('/v1/account')).body.tenantId;
    const answer = await browser.call<{ tenantId: string }>('/v1/account', {
      headers: { authorization: `Bearer ${other}` },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.tenantId).not.toBe(mine);
  });

  test('is refused if there are two, whichever is valid', async () => {
    const stranger = await openBrowser(daemon, { apiKey: await signInAs(daemon, freshAddress()) });
    const pairs = [
      [browser.cookie, stranger.cookie],
      [stranger.cookie, browser.cookie],
      ['svc_session=', browser.cookie],
      [browser.cookie, browser.cookie],
    ];
    for (const pair of pairs) {
      const answer = await browser.call('/v1/account', { headers: { cookie: pair.join('; ') } });
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
    }
  });

  test.each(['svc_session=', 'svc_session=x', `svc_session=${'A'.repeat(43)}`, 'svc_session="a"', 'svc_session'])(
    'that svc did not make is refused: %s',
    async (cookie) => {
      const answer = await daemon.call(undefined, '/v1/account', { headers: { cookie, ...SAME_ORIGIN } });
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
    },
  );

  test('named like that of an https daemon is not one over http', async () => {
    const cookie = browser.cookie.replace('svc_session', '__Host-svc');
    const { status } = await daemon.call(undefined, '/v1/account', { headers: { cookie, ...SAME_ORIGIN } });
    expect(status).toBe(401);
  });

  test('does not let a rejected session use up the requests of its address', async () => {
    daemon.clock.freeze();
    const headers = { ...fromElsewhere(), ...SAME_ORIGIN, cookie: 'svc_session=dead' };
    for (let count = 0; count < 121; count += 1) await daemon.call(undefined, '/v1/account', { headers });
    const { cookie: _, ...clean } = headers;
    expect((await daemon.call(undefined, '/dashboard', { headers: clean })).status).toBe(200);
  });
});

describe('a sign-in', () => {
  test('never keeps a session that the browser brought along', async () => {
    const planted = browser.cookie;
    const { link } = await receiveLink(daemon, freshAddress());
    const answer = await pressButton(daemon, link, { cookie: planted });
    const cookie = sessionCookieIn(answer);
    expect(cookie).toMatch(/^svc_session=[\w-]{43}$/);
    expect(cookie).not.toBe(planted);
    const tenantOf = async (one: string) => {
      const headers = { cookie: one, ...SAME_ORIGIN, ...fromElsewhere() };
      return (await daemon.call<{ tenantId: string }>(undefined, '/v1/account', { headers })).body.tenantId;
    };
    expect(await tenantOf(planted)).not.toBe(await tenantOf(cookie));
  });

  test('gives each session another cookie and another csrf token', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => openBrowser(daemon, { apiKey })));
    expect(new Set(made.map(({ cookie }) => cookie)).size).toBe(5);
    expect(new Set(made.map(({ session }) => session.csrf)).size).toBe(5);
  });

  test('by the ticket or the key of another account is refused while the browser has a session', async () => {
    const strangersKey = await signInAs(daemon, freshAddress());
    const ticket = await ticketOf(daemon, strangersKey);
    const sent = { cookie: browser.cookie, ...SAME_ORIGIN, ...fromElsewhere() };
    for (const [key, body] of [
      [undefined, { ticket }],
      [strangersKey, {}],
    ] as const) {
      const answer = await daemon.call(key, '/v1/session', { body, headers: sent });
      expect([answer.status, answer.body.code, answer.headers.get('set-cookie')]).toEqual([409, 'conflict', null]);
      expect(answer.body.detail).toMatch(/^This browser is signed in as .*@example\.com, which is another account\./);
    }
    expect((await browser.call('/v1/account')).status).toBe(200);
    expect((await openBrowser(daemon, { ticket })).session.id).toMatch(/^con_/);
  });

  test('replaces a session of the same account that the browser has', async () => {
    const old = await openBrowser(daemon, { apiKey });
    for (const [key, body] of [
      [apiKey, {}],
      [undefined, { ticket: await ticketOf(daemon, apiKey) }],
    ] as const) {
      const before = await openBrowser(daemon, { apiKey });
      const headers = { cookie: before.cookie, ...SAME_ORIGIN, ...fromElsewhere() };
      const answer = await daemon.call<Session>(key, '/v1/session', { body, headers });
      expect(answer.status, answer.text).toBe(201);
      expect((await before.call('/v1/account')).status).toBe(401);
      const after = browserWith(daemon, sessionCookieIn(answer), answer.body);
      expect((await after.call('/v1/account')).status).toBe(200);
    }
    expect((await old.call('/v1/account')).status).toBe(200);
  });

  test('needs a key or a ticket: a session makes no other', async () => {
    const refused = await browser.call('/v1/session', { body: {} });
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([400, null]);
    const both = await daemon.call(apiKey, '/v1/session', { body: { ticket: await ticketOf(daemon, apiKey) } });
    expect(both.status).toBe(400);
    const nothing = await daemon.call(undefined, '/v1/session', { body: {} });
    expect(nothing.status).toBe(401);
    const invalid = await daemon.call(`svc_live_${'0'.repeat(32)}`, '/v1/session', { body: {} });
    expect(invalid.status).toBe(401);
  });

  test('with a key reads and ends no session', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await daemon.call(apiKey, '/v1/session', { method });
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
  });
});

describe('behind https', () => {
  let secure: TestDaemon;
  beforeAll(async () => {
    secure = await startSignInDaemon({ config: { publicUrl: 'https://memory.example.com' } });
  });
  afterAll(() => secure.close());

  test('the cookie is Secure and only of this host, and only the public origin may use it', async () => {
    const key = await signInAs(secure, freshAddress());
    const answer = await secure.call<Session>(key, '/v1/session', { body: {} });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-svc=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000; Secure$/,
    );
    const own = browserWith(secure, sessionCookieIn(answer), answer.body);
    const statusFrom = async (origin: string) => (await own.call('/v1/account', { headers: { origin } })).status;
    expect(await statusFrom('https://memory.example.com')).toBe(200);
    expect(await statusFrom('http://memory.example.com')).toBe(403);
    expect(await statusFrom(secure.baseUrl)).toBe(403);
    const plain = own.cookie.replace('__Host-svc', 'svc_session');
    expect((await own.call('/v1/account', { headers: { cookie: plain } })).status).toBe(401);
  });
});

test('a session makes no ticket that outlives its end, even if it asks at the same moment', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { call, session } = await openBrowser(daemon, { apiKey });
    const path = `/v1/connections/${session.id}`;
    const [ended, ...asked] = await Promise.all([
      daemon.call(apiKey, path, { method: 'DELETE' }),
      ...Array.from({ length: 4 }, () => call<{ ticket: string }>('/v1/session/ticket', { method: 'POST' })),
    ]);
    expect(ended.status).toBe(204);
    for (const { status, body } of asked) {
      const ticket = status === 201 ? body.ticket : 'none';
      await expect(openBrowser(daemon, { ticket })).rejects.toThrow('no session: 410');
    }
  }
});
