import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, ticketOf } from '../features/connections/browser.ts';
import { askForDevice, connectDevice, decide, poll } from '../features/connections/device.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { CONNECTION_OPERATIONS } from './connection-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;
let owner: Caller;
let stranger: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await daemon.account();
  stranger = await daemon.account();
});
afterAll(() => daemon.close());

const NEVER = `con_${'0'.repeat(32)}`;

test.each(Object.entries(CONNECTION_OPERATIONS))(
  'another tenant’s connection is indistinguishable from a missing one when %s it; its tenant succeeds',
  async (_, { method, body, succeeds }) => {
    const browser = await openBrowser(daemon, owner);
    const { id } = browser.session;
    const call = (caller: Caller, one: string) => caller.call(`/v1/connections/${one}`, { method, body });
    const [foreign, missing] = [await call(stranger, id), await call(stranger, NEVER)];
    expect(foreign.status).toBe(404);
    expect(visible(foreign, id)).toEqual(visible(missing, NEVER));
    expect((await browser.call('/v1/account')).status).toBe(200);
    expect((await call(owner, id)).status).toBe(succeeds);
  },
);

test('each account lists its own connections, and a cursor of another account is refused', async () => {
  const mine = [await openBrowser(daemon, owner), await openBrowser(daemon, owner)].map(({ session }) => session.id);
  const { id } = (await openBrowser(daemon, stranger)).session;
  const list = async (caller: Caller, query = '') =>
    (await caller.call<{ data: { id: string }[]; nextCursor: string }>(`/v1/connections${query}`)).body;
  const idsOf = async (caller: Caller) => (await list(caller)).data.map((one) => one.id);
  expect(await idsOf(owner)).toEqual(expect.arrayContaining(mine));
  expect(await idsOf(owner)).not.toContain(id);
  expect(await idsOf(stranger)).toContain(id);
  const { nextCursor } = await list(owner, '?limit=1');
  expect((await stranger.call(`/v1/connections?limit=1&cursor=${nextCursor}`)).status).toBe(400);
  expect((await owner.call(`/v1/connections?limit=1&cursor=${nextCursor}`)).status).toBe(200);
});

test('ending the credentials of one account does not affect those of another', async () => {
  const [leaving, staying] = [await daemon.account(), await daemon.account()];
  const browser = await openBrowser(daemon, staying);
  const ticket = await ticketOf(daemon, staying.apiKey);
  await openBrowser(daemon, leaving);
  await ticketOf(daemon, leaving.apiKey);
  expect((await leaving.call('/v1/auth/key', { method: 'DELETE' })).status).toBe(204);
  const again = await daemon.signInByMail((await browser.call<{ email: string }>('/v1/account')).body.email);
  expect((await staying.call('/v1/account')).body).toMatchObject({ endedBy: 'webSignIn' });
  expect((await browser.call('/v1/account')).status).toBe(200);
  await expect(openBrowser(daemon, { ticket })).rejects.toThrow('410');
  const other = await daemon.account();
  const kept = await ticketOf(daemon, again.apiKey);
  expect((await other.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
  expect((await staying.call('/v1/account')).body).toMatchObject({ endedBy: 'webSignIn' });
  expect((await browser.call('/v1/account')).status).toBe(200);
  expect((await openBrowser(daemon, { ticket: kept })).session.id).toMatch(/^con_/);
});

test('a device of one account reads nothing of another, and ends none of its connections', async () => {
  const [mine, theirs] = [await connectDevice(daemon, owner.apiKey), await connectDevice(daemon, stranger.apiKey)];
  const { id } = await owner.add('tea');
  const { credential } = (await daemon.call<{ credential: { id: string } }>(mine, '/v1/account')).body;
  for (const path of [`/v1/memories/${id}`, `/v1/connections/${credential.id}`]) {
    expect((await daemon.call(mine, path)).status).toBe(200);
    for (const method of ['GET', 'DELETE']) {
      const [foreign, missing] = [
        await daemon.call(theirs, path, { method }),
        await daemon.call(theirs, path.replace(/[0-9a-f]{32}$/, '0'.repeat(32)), { method }),
      ];
      expect([foreign.status, foreign.body.detail]).toEqual([404, missing.body.detail]);
    }
  }
  expect((await daemon.call(mine, '/v1/account')).status).toBe(200);
});

test.each([
  ['request', { userCode: '0000-0000' }],
  ['decision', { userCode: '0000-0000', allow: true }],
])(
  'a device that asks for another account is indistinguishable from none for /v1/auth/device/%s',
  async (name, missing) => {
    const { email } = (await owner.call<{ email: string }>('/v1/account')).body;
    const { deviceCode, userCode } = await askForDevice(daemon, email);
    const call = (caller: Caller, body: object) => caller.call(`/v1/auth/device/${name}`, { body });
    const [foreign, unknown] = [await call(stranger, { ...missing, userCode }), await call(stranger, missing)];
    expect(foreign.status).toBe(410);
    expect(visible(foreign, userCode)).toEqual(visible(unknown, '0000-0000'));
    expect((await call(owner, { ...missing, userCode })).status).toBeLessThan(300);
    if (name === 'request') expect((await decide(daemon, owner.apiKey, userCode)).status).toBe(204);
    const { token } = (await poll(daemon, deviceCode)).body;
    expect((await daemon.call<{ email: string }>(token, '/v1/account')).body.email).toBe(email);
  },
);
