import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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
let webhook: string;
let delivery: string;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  receiver = await startReceiver();
  owner = await daemon.account();
  stranger = await daemon.account();
  await addWebhook(stranger, receiver.url);
  webhook = (await addWebhook(owner, receiver.url)).id;
  await owner.add('The basilisk guards the well');
  delivery = await vi.waitFor(async () => (await deliveriesOf(owner, webhook, '?state=delivered'))[0]!.id, 10_000);
});
afterAll(async () => {
  await daemon.close();
  await receiver.close();
});

const SOON = { timeout: 10_000 };
const NEVER = `whk_${'0'.repeat(32)}`;

test.each(Object.entries(WEBHOOK_OPERATIONS))(
  'another tenant’s webhook is indistinguishable from a missing one when %s; its tenant succeeds',
  async (_name, { method, path, body }) => {
    const call = (caller: Caller, id: string) => {
      return caller.call(`/v1/webhooks/${id}${path(delivery)}`, { method, body });
    };
    const sent = receiver.requests.length;
    const [foreign, missing] = [await call(stranger, webhook), await call(stranger, NEVER)];
    expect(foreign.status).toBe(404);
    expect(visible(foreign, webhook)).toEqual(visible(missing, NEVER));
    expect(receiver.requests).toHaveLength(sent);
    expect((await call(owner, webhook)).status).toBeLessThan(300);
  },
);

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
