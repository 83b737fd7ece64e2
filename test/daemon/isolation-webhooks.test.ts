import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Webhook } from '../../src/contract/webhooks.ts';
import type { Caller, MemoryDaemon } from '../features/memories/memory-daemon.ts';
import { startProviderDaemon } from '../features/providers/provider-daemon.ts';
import { addWebhook, deliveriesOf, type Receiver, startReceiver } from '../features/webhooks/receiver.ts';
import { visible } from './visible-answer.ts';
import { WEBHOOK_OPERATIONS } from './webhook-operations.ts';

let daemon: MemoryDaemon;
let receiver: Receiver;
let owner: Caller;
let stranger: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon({ tasksFaster: 20 });
  receiver = await startReceiver();
});
beforeEach(async () => {
  owner = await daemon.account();
  stranger = await daemon.account();
});
afterAll(async () => {
  await daemon.close();
  await receiver.close();
});

const SOON = { timeout: 10_000 };
const NEVER = `whk_${'0'.repeat(32)}`;

test('another tenant’s webhook is indistinguishable from a missing one by every route; its tenant succeeds', async () => {
  await addWebhook(stranger, receiver.url);
  const webhook = (await addWebhook(owner, `${receiver.url}&to=owner`)).id;
  await owner.add('The basilisk guards the well');
  const delivery = await vi.waitFor(
    async () => (await deliveriesOf(owner, webhook, '?state=delivered'))[0]!.id,
    10_000,
  );
  for (const [name, { method, path, body }] of Object.entries(WEBHOOK_OPERATIONS)) {
    const call = (id: string) => stranger.call(`/v1/webhooks/${id}${path(delivery)}`, { method, body });
    const [foreign, missing] = [await call(webhook), await call(NEVER)];
    expect(foreign.status, name).toBe(404);
    expect(visible(foreign, webhook), name).toEqual(visible(missing, NEVER));
  }
  expect(receiver.requests.filter(({ path }) => path.endsWith('to=owner'))).toHaveLength(1);
  for (const [name, { method, path, body }] of Object.entries(WEBHOOK_OPERATIONS)) {
    const { status } = await owner.call(`/v1/webhooks/${webhook}${path(delivery)}`, { method, body });
    expect(status, name).toBeLessThan(300);
  }
});

test('webhooks are listed to their account only, and a delivery belongs to one webhook', async () => {
  const [mine, other] = [await addWebhook(owner, receiver.url), await addWebhook(owner, receiver.url)];
  const listed = await stranger.call<{ data: Webhook[] }>('/v1/webhooks');
  expect(listed.body.data.map(({ id }) => id)).not.toContain(mine.id);
  await owner.add('The basilisk sleeps');
  await expect.poll(async () => (await deliveriesOf(owner, mine.id, '?state=delivered')).length, SOON).toBe(1);
  const { id } = (await deliveriesOf(owner, mine.id))[0]!;
  const replay = (of: string) => owner.call(`/v1/webhooks/${of}/deliveries/${id}/replay`, { method: 'POST' });
  expect((await replay(other.id)).status).toBe(404);
  expect((await replay(mine.id)).status).toBe(200);
});

test('a cursor of another account or filter is refused', async () => {
  const [mine, theirs] = [await addWebhook(owner, receiver.url), await addWebhook(stranger, receiver.url)];
  await owner.addAll([{ content: 'One' }, { content: 'Two' }]);
  await expect.poll(async () => (await deliveriesOf(owner, mine.id)).length, SOON).toBe(2);
  const path = `/v1/webhooks/${mine.id}/deliveries?limit=1`;
  const { nextCursor } = (await owner.call<{ nextCursor: string }>(path)).body;
  const next = await owner.call<{ data: unknown[]; nextCursor: null }>(`${path}&cursor=${nextCursor}`);
  expect(next.body).toMatchObject({ data: [{ type: 'memory.created' }], nextCursor: null });
  expect((await owner.call(`${path}&state=failed&cursor=${nextCursor}`)).status).toBe(400);
  const foreign = await stranger.call(`/v1/webhooks/${theirs.id}/deliveries?limit=1&cursor=${nextCursor}`);
  expect(foreign.status).toBe(400);
});
