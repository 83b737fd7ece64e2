import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import type { Connection } from '../../../src/contract/connections.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { freshAddress, fromElsewhere, signInAs, startSignInDaemon, visit } from '../../helpers/sign-in.ts';
import { openBrowser, ticketOf } from './browser.ts';
import { askByMail, askForDevice, connectDevice, decide, LAPTOP, poll, typeDeviceCode } from './device.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
  daemon.clock.freeze();
});
afterAll(() => daemon.close());
beforeEach(() => daemon.clock.advance(120_000));

const MINUTE_MS = 60_000;
const statusOf = async (token: string) =>
  (await daemon.call(token, '/v1/account', { headers: fromElsewhere() })).status;
const accountOf = async (token: string) => (await daemon.call<Account>(token, '/v1/account')).body;
const connectionsOf = async (token: string) =>
  (await daemon.call<{ data: Connection[] }>(token, '/v1/connections')).body.data;

describe('a device', () => {
  test('gets its token once it is allowed in the web app, and the API key stays valid', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const browser = await openBrowser(daemon, { apiKey });
    const { deviceCode, userCode, verificationUrlComplete, intervalSeconds } = await askForDevice(daemon, email);
    expect(verificationUrlComplete).toBe(`${daemon.publicUrl}/dashboard/connect?device=${userCode}`);
    expect(await poll(daemon, deviceCode)).toMatchObject({ status: 200, body: { status: 'pending', intervalSeconds } });
    const waiting = await browser.call('/v1/auth/device/request', { body: { userCode } });
    expect(waiting.body).toMatchObject({ ...LAPTOP, address: expect.stringMatching(/^10\./) });
    expect((await decide(daemon, browser, userCode)).status).toBe(204);
    const { status, body } = await poll(daemon, deviceCode);
    expect([status, body.token]).toEqual([200, expect.stringMatching(/^svc_dev_[\w-]{43}$/)]);
    expect(body.account.credential).toMatchObject({ kind: 'device', scope: 'memory', client: 'laptop on Linux' });
    expect(await accountOf(body.token)).toMatchObject({ email, credential: body.account.credential });
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('is allowed by the mailed link with the code of the terminal, which issues no key', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const { deviceCode, userCode, link } = await askByMail(daemon, email);
    const page = await visit(daemon, link);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('svc login --device')]);
    expect(page.text).not.toContain(userCode);
    const done = await typeDeviceCode(daemon, link, userCode.toLowerCase().replace('-', ' '));
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('laptop</span> is connected')]);
    expect(done.headers.getSetCookie()).toEqual([]);
    const { token } = (await poll(daemon, deviceCode)).body;
    expect([await statusOf(token), await statusOf(apiKey)]).toEqual([200, 200]);
  });

  test('can make an account by the mailed link, which then has no key', async () => {
    const email = freshAddress();
    const { deviceCode, userCode, link } = await askByMail(daemon, email);
    await typeDeviceCode(daemon, link, userCode);
    const { token } = (await poll(daemon, deviceCode)).body;
    expect(await accountOf(token)).toMatchObject({ email, key: null });
  });

  test('stays connected when somebody signs in elsewhere or revokes the key', async () => {
    const email = freshAddress();
    const token = await connectDevice(daemon, await signInAs(daemon, email));
    const newKey = await signInAs(daemon, email);
    expect(await statusOf(token)).toBe(200);
    expect((await daemon.call(newKey, '/v1/auth/key', { method: 'DELETE' })).status).toBe(204);
    expect(await statusOf(token)).toBe(200);
    daemon.clock.advance(400 * 24 * 60 * MINUTE_MS);
    await daemon.connections.sweep();
    expect(await statusOf(token)).toBe(200);
  });

  test('is listed with when and from where it was used', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const token = await connectDevice(daemon, apiKey);
    daemon.clock.advance(MINUTE_MS);
    await daemon.call(token, '/v1/account', { headers: { 'x-forwarded-for': '203.0.113.7' } });
    await daemon.db.writes.write('daemon', async () => undefined);
    const used = new Date(daemon.clock.nowMs()).toISOString();
    const [listed] = await connectionsOf(apiKey);
    expect(listed).toMatchObject({
      kind: 'device',
      client: 'laptop on Linux',
      address: '203.0.113.7',
      expiresAt: null,
    });
    expect(listed).toMatchObject({ lastUsedAt: used, scope: 'memory', current: false });
    expect((await connectionsOf(token))[0]!.current).toBe(true);
  });

  test('ends at once when it is revoked, with the browsers it opened; the error says why and when', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const token = await connectDevice(daemon, apiKey);
    const browser = await openBrowser(daemon, { ticket: await ticketOf(daemon, token) });
    const again = await openBrowser(daemon, {
      ticket: (await browser.call<{ ticket: string }>('/v1/session/ticket', { method: 'POST' })).body.ticket,
    });
    const unused = await ticketOf(daemon, token);
    const { id } = (await connectionsOf(apiKey)).find(({ kind }) => kind === 'device')!;
    expect((await daemon.call(apiKey, `/v1/connections/${id}`, { method: 'DELETE' })).status).toBe(204);
    daemon.clock.advance(4 * MINUTE_MS);
    const refused = await daemon.call(token, '/v1/account', { headers: fromElsewhere() });
    expect(refused).toMatchObject({ status: 401, body: { endedBy: 'deviceRevocation' } });
    expect(refused.body.detail).toBe(
      'This device (laptop on Linux) was disconnected 4 minutes ago. To connect it again, run svc login --device.',
    );
    for (const one of [browser, again]) expect((await one.call('/v1/account')).status).toBe(401);
    await expect(openBrowser(daemon, { ticket: unused })).rejects.toThrow('410');
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('ends with the account', async () => {
    const email = freshAddress();
    const apiKey = await signInAs(daemon, email);
    const token = await connectDevice(daemon, apiKey);
    daemon.clock.advance(MINUTE_MS * 5);
    const allowed = await askForDevice(daemon, email);
    await decide(daemon, apiKey, allowed.userCode);
    expect((await daemon.call(apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);
    expect(await daemon.call(token, '/v1/account')).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await poll(daemon, allowed.deviceCode)).status).toBe(410);
    expect(await daemon.db.readers.all('SELECT 1 FROM deviceRequests WHERE email = ?', [email])).toEqual([]);
  });

  test('the 51st ends the one that was not used for the longest time', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const tenantId = (await accountOf(apiKey)).tenantId;
    const page = await openBrowser(daemon, { apiKey });
    const tokens: string[] = [];
    for (let count = 0; count < 51; count += 1) {
      daemon.clock.advance(1);
      const origin = { client: `machine ${count}`, address: '127.0.0.1' };
      tokens.push(await daemon.db.writes.write(tenantId, (one) => daemon.devices.connect(one, tenantId, origin)));
    }
    expect(await statusOf(tokens[0]!)).toBe(401);
    expect(await statusOf(tokens[1]!)).toBe(200);
    expect((await page.call('/v1/account')).status).toBe(200);
  });
});

describe('a device may', () => {
  test('use memories in every way, over MCP too', async () => {
    const token = await connectDevice(daemon, await signInAs(daemon, freshAddress()));
    expect((await daemon.call(token, '/v1/memories', { body: { content: 'tea' } })).status).toBe(201);
    expect((await daemon.call(token, '/v1/search', { body: { query: 'tea' } })).status).toBe(200);
    const params = { name: 'memory_add', arguments: { content: 'coffee' } };
    const headers = { accept: 'application/json, text/event-stream' };
    const added = await daemon.call(token, '/v1/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      headers,
    });
    expect([added.status, added.text.includes('isError')]).toEqual([200, false]);
  });

  test.each([
    ['erase the account', 'DELETE', '/v1/account'],
    ['revoke the key', 'DELETE', '/v1/auth/key'],
    ['allow another device', 'POST', '/v1/auth/device/decision'],
    ['look for another device', 'POST', '/v1/auth/device/request'],
  ])('not %s, nor may a browser that it opened', async (_, method, path) => {
    const apiKey = await signInAs(daemon, freshAddress());
    const token = await connectDevice(daemon, apiKey);
    const browser = await openBrowser(daemon, { ticket: await ticketOf(daemon, token) });
    const refused = await daemon.call(token, path, { method });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', scope: 'account' } });
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer realm="svc", error="insufficient_scope", scope="account"',
    );
    expect((await browser.call(path, { method })).status).toBe(403);
    expect(await statusOf(apiKey)).toBe(200);
  });

  test('end itself and what it opened, but no other connection', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const other = await openBrowser(daemon, { apiKey });
    const token = await connectDevice(daemon, apiKey);
    const opened = await openBrowser(daemon, { ticket: await ticketOf(daemon, token) });
    const end = async (id: string) => (await daemon.call(token, `/v1/connections/${id}`, { method: 'DELETE' })).status;
    expect(await end(other.session.id)).toBe(403);
    expect((await other.call('/v1/account')).status).toBe(200);
    expect(await end(opened.session.id)).toBe(204);
    expect((await opened.call('/v1/account')).status).toBe(401);
    expect(await end((await accountOf(token)).credential.id!)).toBe(204);
    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(apiKey)).toBe(200);
  });
});
