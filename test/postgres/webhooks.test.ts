import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { parseAllowedHost } from '../../src/outside/providers/provider-address.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { addWebhook, deliveriesOf, type Receiver, startReceiver } from '../features/webhooks/receiver.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';

// Two daemons on one database look for the same deliveries.

const NAME = 'webhooks';
const SOON = { timeout: 20_000 };
let one: MemoryDaemon;
let other: MemoryDaemon;
let caller: Caller;
let there: Caller;
let receiver: Receiver;

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  const databaseUrl = await ensureDatabase(adminUrl, NAME, template);
  const config = { providerHosts: [parseAllowedHost('127.0.0.1')] };
  one = await startMemoryDaemon({ databaseUrl, config });
  other = await startMemoryDaemon({ databaseUrl, config });
}, 60_000);
beforeEach(async () => {
  caller = await one.account();
  there = createCaller(other.call, caller.apiKey, caller.tenantId);
  receiver = await startReceiver();
});
afterAll(async () => {
  await Promise.all([one?.close(), other?.close()]);
  await receiver?.close();
  await dropDatabase(inject('postgres').adminUrl, NAME);
});

test('each change is sent once and in order, although both daemons collect and send all the time', async () => {
  const { id } = await addWebhook(caller, receiver.url);
  const added: string[] = [];
  const racing = setInterval(() => {
    for (const { webhooks } of [one, other]) {
      Promise.all([webhooks.collect(), webhooks.follow()]).catch(() => {
        // A later turn does it.
      });
    }
  }, 20);
  for (let count = 0; count < 30; count += 1) {
    added.push((await (count % 2 === 0 ? caller : there).add(`Memory number ${count}`)).id);
  }
  await expect.poll(async () => (await deliveriesOf(there, id, '?state=delivered')).length, SOON).toBe(30);
  clearInterval(racing);
  expect(receiver.requests.map(({ event }) => event.data.id)).toEqual(added);
});

test('a delivery whose daemon was killed is sent by another once its claim ends', async () => {
  const { id } = await addWebhook(caller, receiver.url);
  const claimedUntil = Math.max(one.clock.nowMs(), other.clock.nowMs()) + 40_000;
  await one.db.writes.write(caller.tenantId, (connection) =>
    connection.run('UPDATE webhooks SET claimedUntil = ?, fence = fence + 1 WHERE tenantId = ? AND id = ?', [
      ...[claimedUntil, caller.tenantId],
      id,
    ]),
  );
  await caller.add('first');
  await expect.poll(async () => (await deliveriesOf(there, id)).length, SOON).toBe(1);
  await Promise.all([one.webhooks.follow(), other.webhooks.follow()]);
  expect(receiver.requests).toHaveLength(0);
  for (const { clock } of [one, other]) clock.advance(41_000);
  await receiver.until(1);
});

test('a daemon that was paused while it sent does not undo what another has recorded', async () => {
  const { id } = await addWebhook(caller, receiver.url);
  let release = () => {};
  receiver.answerWith((response) => {
    release = () => response.writeHead(500).end();
  });
  await caller.add('first');
  await receiver.until(1);
  receiver.answerWith((response) => response.writeHead(204).end());
  for (const { clock } of [one, other]) clock.advance(41_000);
  await expect.poll(async () => (await deliveriesOf(there, id))[0]!.state, SOON).toBe('delivered');
  release();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await deliveriesOf(there, id))[0]).toMatchObject({ state: 'delivered', attempts: 1, status: 204 });
  expect(receiver.requests).toHaveLength(2);
});
