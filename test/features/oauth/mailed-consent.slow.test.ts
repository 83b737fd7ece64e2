import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { freshAddress, fromElsewhere, pressButton, signInAs, visit } from '../../helpers/sign-in.ts';
import { typeDeviceCode } from '../connections/device.ts';
import { askByMail, askForLink, openLink, openRequest, press, returnOf } from './mailed-flow.ts';
import { CALLBACK, mcpStatus, redeem, register, requestOf, startOAuthDaemon } from './oauth-flow.ts';

const MINUTE_MS = 60_000;

let daemon: TestDaemon;
/** Only for those who are invited. */
let invited: TestDaemon;

beforeAll(async () => {
  daemon = await startOAuthDaemon();
  daemon.clock.freeze();
  invited = await startOAuthDaemon({ config: { signup: 'invite' } });
});
afterAll(() => Promise.all([daemon.close(), invited.close()]));
beforeEach(() => daemon.clock.advance(10 * MINUTE_MS));

/** Names of the clients that are connected to an account. */
async function clientsOf(apiKey: string): Promise<string[]> {
  const { body } = await daemon.call<{ data: { kind: string; client: string }[] }>(apiKey, '/v1/connections');
  return body.data.filter(({ kind }) => kind === 'oauth').map(({ client }) => client);
}

describe('a browser without a session', () => {
  test('connects a client by a mailed link: the API key stays, and no session begins', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const request = await requestOf(daemon);
    const asked = await askByMail(daemon, request.query, email);
    const page = await openLink(daemon, asked);
    expect(page.status).toBe(200);
    for (const shown of [email, 'Test client', 'any program can use this name', 'client.example', 'Deny']) {
      expect(page.text).toContain(shown);
    }
    const answer = await press(daemon, asked);
    const { origin, pathname, searchParams } = returnOf(answer);
    expect(origin + pathname).toBe(CALLBACK);
    expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['as sent', daemon.publicUrl]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    const tokens = (await redeem(daemon, searchParams.get('code') ?? '', request)).body;
    expect(await mcpStatus(daemon, tokens.access_token)).toBe(200);
    expect(tokens.scope).toBe('memory');
    expect(await clientsOf(apiKey)).toEqual(['Test client']);
    const { body } = await daemon.call<{ data: { kind: string }[] }>(apiKey, '/v1/connections');
    expect(body.data.map(({ kind }) => kind)).toEqual(['oauth', 'page']);
  });

  test('reports a denial to the client, connects nothing and creates no account', async () => {
    const email = freshAddress();
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, email);
    const { searchParams } = returnOf(await press(daemon, asked, { decision: 'deny' }));
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['access_denied', 'as sent']);
    expect((await press(daemon, asked)).status).toBe(410);
    expect((await daemon.accounts.list()).map((one) => one.email)).not.toContain(email);
  });

  test('makes the account of a new address, without an API key', async () => {
    const email = freshAddress();
    const request = await requestOf(daemon);
    const { searchParams } = returnOf(await press(daemon, await askByMail(daemon, request.query, email)));
    const tokens = (await redeem(daemon, searchParams.get('code') ?? '', request)).body;
    expect(await mcpStatus(daemon, tokens.access_token)).toBe(200);
    const { tenantId } = (await daemon.accounts.list()).find((one) => one.email === email)!;
    expect(await daemon.db.readers.all('SELECT 1 FROM apiKeys WHERE tenantId = ?', [tenantId])).toEqual([]);
  });

  test('can allow less than the client asks for, and never more', async () => {
    const request = await requestOf(daemon);
    const asked = await askByMail(daemon, request.query, freshAddress());
    const { searchParams } = returnOf(await press(daemon, asked, { scope: 'memory:read' }));
    expect((await redeem(daemon, searchParams.get('code') ?? '', request)).body.scope).toBe('memory:read');
    const reading = await requestOf(daemon, { scope: 'memory:read' });
    const narrow = await askByMail(daemon, reading.query, freshAddress());
    expect((await openLink(daemon, narrow)).text).not.toContain('value="memory"');
    for (const scope of ['memory', 'account']) expect((await press(daemon, narrow, { scope })).status).toBe(400);
    expect((await press(daemon, narrow)).status).toBe(200);
  });

  test('may open the link as often as it likes, and an earlier link too', async () => {
    const [email, { query }] = [freshAddress(), await requestOf(daemon)];
    const first = await askByMail(daemon, query, email);
    expect(await openRequest(daemon, query, first.cookie)).toBe(first.cookie);
    await askForLink(daemon, { query, email, cookie: first.cookie });
    for (let count = 0; count < 3; count += 1) expect((await openLink(daemon, first)).status).toBe(200);
    expect((await press(daemon, first)).status).toBe(200);
  });

  test('may paste the address of the link, if the email is read elsewhere', async () => {
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, freshAddress());
    const pasted = `${daemon.publicUrl}/v1/oauth/confirm?${new URLSearchParams({ token: ` ${asked.link}` })}`;
    expect((await openLink(daemon, { ...asked, link: pasted })).text).toContain('Test client');
  });

  test('gets the error of a faulty request before any mail is sent', async () => {
    const email = freshAddress();
    const cookie = await openRequest(daemon, (await requestOf(daemon)).query);
    for (const [parameters, returns] of [
      [{ resource: 'https://other.example/mcp' }, true],
      [{ redirect_uri: 'https://evil.example/' }, false],
      [{ code_challenge: undefined }, true],
    ] as const) {
      const { query } = await requestOf(daemon, parameters);
      const answer = await askForLink(daemon, { query, email, cookie });
      expect(answer.status).toBe(400);
      expect(answer.text.includes('Return to the program')).toBe(returns);
      expect(answer.headers.get('refresh')).toBeNull();
    }
    expect(await daemon.mailbox.mailsTo(email)).toEqual([]);
  });
});

describe('a mailed link', () => {
  test('does not work in another browser: a stranger who asks for it gets no code', async () => {
    const victim = freshAddress();
    const apiKey = await signInAs(daemon, victim);
    const { query } = await requestOf(daemon);
    const stranger = await askByMail(daemon, query, victim);
    const other = await openRequest(daemon, query);
    for (const cookie of ['', other, `svc_oauth=${'x'.repeat(43)}`]) {
      const opened = await openLink(daemon, { ...stranger, cookie });
      expect([opened.status, opened.text.includes('Test client')]).toEqual([403, false]);
      for (const decision of ['allow', 'deny']) {
        expect((await press(daemon, { ...stranger, cookie }, { decision })).status).toBe(403);
      }
    }
    expect(await clientsOf(apiKey)).toEqual([]);
  });

  test('is consumed by no GET: neither of a scanner, nor a HEAD, nor a prefetch', async () => {
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, freshAddress());
    await openLink(daemon, { ...asked, cookie: '' });
    await visit(daemon, asked.link, { method: 'HEAD', headers: { cookie: asked.cookie } });
    await openLink(daemon, asked, { 'sec-purpose': 'prefetch' });
    expect((await press(daemon, asked)).status).toBe(200);
  });

  test('works once, to many who press at once too', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, email);
    const answers = await Promise.all(
      ['allow', 'deny', 'allow', 'allow'].map((decision) => press(daemon, asked, { decision })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    expect((await openLink(daemon, asked)).status).toBe(410);
    expect((await clientsOf(apiKey)).length).toBeLessThanOrEqual(1);
  });

  test.each([
    ['14:59', 15 * MINUTE_MS - 1000, 200],
    ['15:00', 15 * MINUTE_MS, 410],
  ])('at the age of %s works, or no longer', async (_, ageMs, status) => {
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, freshAddress());
    daemon.clock.advance(ageMs);
    expect((await openLink(daemon, asked)).status).toBe(status);
    expect((await press(daemon, asked)).status).toBe(status);
  });

  test('signs nobody in, allows no device, and no other link allows a client', async () => {
    const email = freshAddress();
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, email);
    const callback = asked.link.replace('/v1/oauth/confirm', '/v1/auth/callback');
    expect((await visit(daemon, callback, { headers: { cookie: asked.cookie } })).status).toBe(410);
    expect((await pressButton(daemon, callback)).status).toBe(410);
    expect((await typeDeviceCode(daemon, callback, '0000-0000')).status).toBe(410);
    const signIn = await daemon.requestLink(email);
    const link = signIn.replace('/v1/auth/callback', '/v1/oauth/confirm');
    expect((await openLink(daemon, { ...asked, link })).status).toBe(410);
    expect((await press(daemon, { ...asked, link })).status).toBe(410);
    expect((await pressButton(daemon, signIn)).status).toBe(303);
  });

  test('is stored as a hash only, and logged nowhere', async () => {
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, freshAddress());
    await openLink(daemon, asked);
    const rows = JSON.stringify(await daemon.db.readers.all('SELECT * FROM signInLinks'));
    for (const secret of [new URL(asked.link).searchParams.get('token')!, asked.cookie.split('=')[1]!]) {
      expect(rows + daemon.logLines.join('')).not.toContain(secret);
    }
  });

  test('ends with the account', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const asked = await askByMail(daemon, (await requestOf(daemon)).query, email);
    expect((await daemon.call(apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);
    expect((await press(daemon, asked)).status).toBe(410);
  });

  test('is void once its address may no longer sign in', async () => {
    const email = freshAddress();
    await invited.accounts.invite(email);
    const asked = await askByMail(invited, (await requestOf(invited)).query, email);
    await invited.accounts.withdraw(email);
    expect((await press(invited, asked)).status).toBe(410);
    expect(await invited.accounts.list()).toEqual([]);
  });
});

describe('another site', () => {
  test('can neither ask for a link nor answer one', async () => {
    const email = freshAddress();
    const { query } = await requestOf(daemon);
    const cookie = await openRequest(daemon, query);
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect((await askForLink(daemon, { query, email, cookie }, { 'sec-fetch-site': site })).status).toBe(403);
    }
    // Over plain http browsers name no site, but do not send the cookie either.
    const headers = { ...fromElsewhere(), 'content-type': 'application/x-www-form-urlencoded' };
    const options = { method: 'POST', body: new TextEncoder().encode(`email=${email}`), headers };
    expect((await daemon.call(undefined, `/v1/oauth/authorize?${query}`, options)).status).toBe(403);
    expect(await daemon.mailbox.mailsTo(email)).toEqual([]);
    const asked = await askByMail(daemon, query, email);
    expect((await press(daemon, asked, {}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await press(daemon, asked)).status).toBe(200);
  });

  test('cannot frame a page of this, run a script in it, or have it cached', async () => {
    const { query } = await requestOf(daemon);
    const email = freshAddress();
    const asked = await askByMail(daemon, query, email);
    const pages = [
      await daemon.call(undefined, `/v1/oauth/authorize?${query}`, { headers: fromElsewhere() }),
      await askForLink(daemon, { query, email, cookie: asked.cookie }),
      await openLink(daemon, asked),
      await openLink(daemon, { ...asked, cookie: '' }),
      await press(daemon, asked),
    ];
    for (const { headers } of pages) {
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'none'.*script-src 'self'.*form-action 'self'.*frame-ancestors 'none'/,
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-frame-options')).toBe('DENY');
    }
    const [cookie] = pages[0]!.headers.getSetCookie();
    expect(cookie).toMatch(/^svc_oauth=[\w-]{43}; Path=\/v1\/oauth; HttpOnly; SameSite=Lax; Max-Age=3600$/);
  });

  test('shows the name of a client as text', async () => {
    const clientId = await register(daemon, { client_name: '<b>Bold</b> "quoted"' });
    const { query } = await requestOf(daemon, {}, clientId);
    const page = await openLink(daemon, await askByMail(daemon, query, freshAddress()));
    expect(page.text).toContain('&lt;b&gt;Bold&lt;/b&gt; &quot;quoted&quot;');
  });
});

describe('a flood', () => {
  test('fills no mailbox, and is answered as before', async () => {
    const email = freshAddress();
    const { query } = await requestOf(daemon);
    const cookie = await openRequest(daemon, query);
    const answers = [];
    for (let count = 0; count < 6; count += 1) answers.push(await askForLink(daemon, { query, email, cookie }));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const delivered = 'SELECT SUM(delivered) AS mails FROM signInLinks WHERE email = ?';
    expect(await daemon.db.readers.get(delivered, [email])).toEqual({ mails: 2 });
    // A sign-in is counted apart.
    expect(await signInAs(daemon, email)).toMatch(/^svc_live_/);
  });

  test('of mails to many addresses ends at the limit of sign-ins of an IP address', async () => {
    const { query } = await requestOf(daemon);
    const cookie = await openRequest(daemon, query);
    const from = fromElsewhere();
    const statuses = [];
    for (let count = 0; count < 32; count += 1) {
      statuses.push((await askForLink(daemon, { query, email: freshAddress(), cookie }, from)).status);
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(30);
    expect(statuses.slice(30)).toEqual([429, 429]);
  });

  test('does not tell who has an account, or may have one', async () => {
    const [known, barred] = [freshAddress(), freshAddress()];
    await signInAs(daemon, known);
    const textOf = async (where: TestDaemon, email: string) => {
      const { query } = await requestOf(where);
      const answer = await askForLink(where, { query, email, cookie: await openRequest(where, query) });
      return `${answer.status} ${answer.text.replaceAll(email, 'them')}`;
    };
    const answers = [await textOf(daemon, known), await textOf(daemon, freshAddress()), await textOf(invited, barred)];
    expect(new Set(answers).size).toBe(1);
    const delivered = 'SELECT delivered FROM signInLinks WHERE email = ?';
    expect(await invited.db.readers.all(delivered, [barred])).toEqual([{ delivered: 0 }]);
  });
});

test('the metadata document of a client is not fetched before someone has opened the link', async () => {
  const { query } = await requestOf(daemon, { client_id: 'https://127.0.0.1/client' });
  const asked = await askByMail(daemon, query, freshAddress());
  expect((await openLink(daemon, { ...asked, cookie: '' })).status).toBe(403);
  const opened = await openLink(daemon, asked);
  expect([opened.status, opened.text.includes('could not fetch the metadata document')]).toEqual([400, true]);
});
