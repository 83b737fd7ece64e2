import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, ticketOf } from '../features/connections/browser.ts';
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
  async (_, { method, succeeds }) => {
    const browser = await openBrowser(daemon, owner);
    const { id } = browser.session;
    const call = (caller: Caller, one: string) => caller.call(`/v1/connections/${one}`, { method });
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

test('what ends the credentials of one account leaves those of another', async () => {
  const [leaving, staying] = [await daemon.account(), await daemon.account()];
  const browser = await openBrowser(daemon, staying);
  const ticket = await ticketOf(daemon, staying.apiKey);
  await openBrowser(daemon, leaving);
  await ticketOf(daemon, leaving.apiKey);
  expect((await leaving.call('/v1/auth/key', { method: 'DELETE' })).status).toBe(204);
  const again = await daemon.signIn((await browser.call<{ email: string }>('/v1/account')).body.email);
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
