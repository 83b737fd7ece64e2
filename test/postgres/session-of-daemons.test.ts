import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { browserWith, openBrowser, ticketOf } from '../features/connections/browser.ts';
import { askForDevice, connectDevice, decide, poll } from '../features/connections/device.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';

const NAME = 'sessions_of_daemons';
let one: MemoryDaemon;
let other: MemoryDaemon;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const databaseUrl = await ensureDatabase(adminUrl, NAME, template);
  one = await startMemoryDaemon({ databaseUrl, config: { trustProxy: ['loopback'] } });
  other = await startMemoryDaemon({ databaseUrl, config: { trustProxy: ['loopback'] } });
}, 60_000);

afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await dropDatabase(inject('postgres').adminUrl, NAME);
});

test('a session made by one daemon works at another, and is revoked for both at once', async () => {
  const { apiKey } = await one.account();
  const here = await openBrowser(one, { apiKey });
  const there = browserWith(other, here.cookie, here.session);
  expect((await there.call('/v1/memories', { body: { content: 'tea' } })).status).toBe(201);
  expect((await there.call('/v1/session', { method: 'DELETE' })).status).toBe(204);
  for (const browser of [here, there]) expect((await browser.call('/v1/account')).status).toBe(401);
});

test('a ticket opens one session of several that two daemons are asked for at once', async () => {
  const { apiKey } = await one.account();
  for (let round = 0; round < 5; round += 1) {
    const ticket = await ticketOf(one, apiKey);
    const tries = await Promise.allSettled([one, other, one, other].map((daemon) => openBrowser(daemon, { ticket })));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }
});

test('a device that one daemon connected works at another, and is revoked for both at once', async () => {
  const { apiKey } = await one.account();
  const token = await connectDevice(one, apiKey);
  const { credential } = (await other.call<{ credential: { id: string } }>(token, '/v1/account')).body;
  expect((await one.call(apiKey, `/v1/connections/${credential.id}`, { method: 'DELETE' })).status).toBe(204);
  for (const { call } of [one, other]) {
    expect((await call(token, '/v1/account')).body).toMatchObject({ endedBy: 'deviceRevocation' });
  }
});

test('the token of a device is handed out once, though two daemons are asked for it at once', async () => {
  const { apiKey } = await one.account();
  const { email } = (await one.call<{ email: string }>(apiKey, '/v1/account')).body;
  for (let round = 0; round < 3; round += 1) {
    const { deviceCode, userCode } = await askForDevice(one, email);
    expect((await decide(other, apiKey, userCode)).status).toBe(204);
    const answers = await Promise.all([one, other, one, other].map((daemon) => poll(daemon, deviceCode)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
  }
});

test('a key that one daemon replaced is explained by another', async () => {
  const { apiKey } = await one.signIn('explained@example.com');
  await one.signInByMail('explained@example.com');
  expect((await other.call(apiKey, '/v1/account')).body).toMatchObject({ endedBy: 'webSignIn' });
});

test('a ticket that is redeemed while another daemon erases the account leaves nothing behind', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { apiKey, tenantId } = await one.account();
    const tickets = await Promise.all(Array.from({ length: 4 }, () => ticketOf(one, apiKey)));
    const opened = Promise.allSettled(tickets.map((ticket) => openBrowser(one, { ticket })));
    expect((await other.call(apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);
    for (const result of await opened) {
      if (result.status === 'fulfilled') expect((await result.value.call('/v1/account')).status).toBe(401);
    }
    for (const table of ['connections', 'sessionTickets', 'endedKeys', 'apiKeys']) {
      const rows = await one.db.readers.all(`SELECT 1 FROM ${table} WHERE tenantId = ?`, [tenantId]);
      expect([table, rows]).toEqual([table, []]);
    }
  }
});
