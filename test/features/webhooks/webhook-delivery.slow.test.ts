import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../../../src/contract/webhooks.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { startProviderDaemon } from '../providers/provider-daemon.ts';
import { addWebhook, deliveriesOf, type Receiver, startReceiver, verify } from './receiver.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let daemon: MemoryDaemon;
let caller: Caller;
let receiver: Receiver;

beforeAll(async () => {
  daemon = await startProviderDaemon({ tasksFaster: 20 });
});
afterAll(() => daemon.close());
beforeEach(async () => {
  daemon.clock.advance(61_000);
  caller = await daemon.account();
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const read = async (id: string) => (await caller.call<Webhook>(`/v1/webhooks/${id}`)).body;
const erase = { method: 'DELETE' };
const post = <T = WebhookDelivery>(path: string) => caller.call<T>(`/v1/webhooks/${path}`, { method: 'POST' });

/** Waits until the newest delivery was tried so often. */
async function untilTried(id: string, attempts: number): Promise<WebhookDelivery> {
  const newest = async () => (await deliveriesOf(caller, id))[0]?.attempts;
  await expect.poll(newest, { timeout: 15_000, interval: 20 }).toBe(attempts);
  return (await deliveriesOf(caller, id))[0]!;
}

describe('a webhook', () => {
  test('gets each change in order, signed, with what the event stream has and no content', async () => {
    await caller.add('Before the webhook');
    const { id, secret } = await addWebhook(caller, receiver.url);
    const { id: memory } = await caller.add('Ada drinks tea', { user: 'ada' });
    await caller.change(memory, { content: 'Ada drinks coffee' });
    await caller.erase(memory);
    const requests = await receiver.until(3);
    expect(receiver.types()).toEqual(['memory.created', 'memory.updated', 'memory.deleted']);
    for (const request of requests) {
      expect(verify(request, secret)).toEqual(request.event);
      expect(request.event.data).toEqual({ id: memory, user: 'ada', author: null, at: request.event.timestamp });
      expect(request.body).not.toContain('drinks');
      expect(request.path).toBe('/hook?of=svc');
      const seconds = Math.floor(daemon.clock.nowMs() / 1000);
      expect(Math.abs(seconds - Number(request.headers['webhook-timestamp']))).toBeLessThan(10);
    }
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    await expect.poll(async () => (await deliveriesOf(caller, id, '?state=delivered')).length).toBe(3);
    expect((await read(id)).lastDeliveredAt).not.toBeNull();
  });

  test('refuses a signature made with another secret, or for another body', async () => {
    const { secret } = await addWebhook(caller, receiver.url);
    await caller.add('tea');
    const [request] = await receiver.until(1);
    expect(() => verify(request!, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toThrow();
    expect(() => verify({ ...request!, body: `${request!.body} ` }, secret)).toThrow();
  });

  test('gets only the events and the user that it asks for', async () => {
    const { id: chosen } = await addWebhook(caller, receiver.url, { events: ['memory.deleted'], user: 'ada' });
    const ids = [await caller.add('tea', { user: 'ada' }), await caller.add('milk', { user: 'bob' })];
    for (const { id } of ids) await caller.erase(id);
    const other = await startReceiver();
    await addWebhook(caller, other.url);
    await caller.add('last');
    await Promise.all([other.until(1), receiver.until(1)]);
    expect(await deliveriesOf(caller, chosen)).toHaveLength(1);
    expect(receiver.requests.map(({ event }) => [event.type, event.data.id])).toEqual([['memory.deleted', ids[0]!.id]]);
    await other.close();
  });

  test('gets nothing of another account', async () => {
    await addWebhook(caller, receiver.url);
    const stranger = await daemon.account();
    await stranger.add('secret');
    const { id } = await caller.add('own');
    await receiver.until(1);
    expect(receiver.requests.map(({ event }) => event.data.id)).toEqual([id]);
  });

  test('is signed with both secrets for a day after a rotation, and then with the new one alone', async () => {
    const { id, secret } = await addWebhook(caller, receiver.url);
    const { secret: next } = (await post<WebhookWithSecret>(`${id}/rotate-secret`)).body;
    expect(next).not.toBe(secret);
    await post(`${id}/test`);
    verify(receiver.requests[0]!, secret);
    verify(receiver.requests[0]!, next);
    daemon.clock.advance(DAY_MS);
    await post(`${id}/test`);
    expect(String(receiver.requests[1]!.headers['webhook-signature']).split(' ')).toHaveLength(1);
    expect(JSON.stringify(await read(id))).not.toContain('whsec_');
  });

  test('sends a test event at once, and says why it failed', async () => {
    const { id } = await addWebhook(caller, receiver.url);
    expect((await post(`${id}/test`)).body).toMatchObject({
      type: 'test',
      state: 'delivered',
      status: 204,
      error: null,
    });
    receiver.answerStatus(302, { location: 'http://127.0.0.1:1/' });
    const { status, body } = await post(`${id}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'failed', status: 302 });
    expect(body.error).toContain('redirect');
    expect((await read(id)).lastFailure!.message).toBe(body.error);
    expect(await deliveriesOf(caller, id)).toEqual([]);
  });

  test('is not sent what changes while it is not active, and continues with what waited', async () => {
    receiver.answerStatus(500);
    const { id } = await addWebhook(caller, receiver.url);
    const waiting = await caller.add('waits');
    await untilTried(id, 1);
    const change = (body: object) => caller.call(`/v1/webhooks/${id}`, { method: 'PATCH', body });
    await change({ active: false });
    await caller.add('unseen');
    receiver.answerStatus(204);
    await change({ active: true });
    const later = await caller.add('seen');
    await receiver.until(3);
    expect(receiver.requests.slice(1).map(({ event }) => event.data.id)).toEqual([waiting.id, later.id]);
  });
});

describe('a delivery that fails', () => {
  test('is tried again with the same id, and holds back those after it', async () => {
    receiver.answerStatus(503);
    const { id } = await addWebhook(caller, receiver.url);
    const first = await caller.add('first');
    const second = await caller.add('second');
    await receiver.until(1);
    await expect.poll(async () => (await deliveriesOf(caller, id)).map(({ attempts }) => attempts)).toEqual([0, 1]);
    receiver.answerStatus(200);
    daemon.clock.advance(5000);
    const requests = await receiver.until(3);
    expect(requests.map(({ event }) => event.data.id)).toEqual([first.id, first.id, second.id]);
    expect(requests[1]!.headers['webhook-id']).toBe(requests[0]!.headers['webhook-id']);
  });

  test('is tried ten times within three days, then is a dead letter, which can be replayed', async () => {
    receiver.answerStatus(500);
    const { id, secret } = await addWebhook(caller, receiver.url);
    const { id: memory } = await caller.add('tea');
    await untilTried(id, 1);
    const waits = [5000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 20].map((hours) => hours * HOUR_MS)];
    for (const [index, waitMs] of waits.entries()) {
      daemon.clock.advance(waitMs);
      await untilTried(id, index + 2);
    }
    const [dead] = await deliveriesOf(caller, id, '?state=failed');
    expect(dead).toMatchObject({ type: 'memory.created', itemId: memory, attempts: 10, status: 500 });
    receiver.answerStatus(200);
    const { body } = await post(`${id}/deliveries/${dead!.id}/replay`);
    expect(body).toMatchObject({ id: dead!.id, state: 'delivered', attempts: 11, error: null });
    const last = receiver.requests.at(-1)!;
    expect(last.headers['webhook-id']).toBe(dead!.id);
    verify(last, secret);
    expect(await deliveriesOf(caller, id, '?state=failed')).toEqual([]);
  }, 40_000);

  test('while the clock was ahead is tried again at once when it is set back', async () => {
    receiver.answerStatus(503);
    const { id } = await addWebhook(caller, receiver.url);
    const realMs = daemon.clock.nowMs();
    daemon.clock.setWall(realMs + DAY_MS);
    const first = await caller.add('first');
    await untilTried(id, 1);
    receiver.answerStatus(204);
    daemon.clock.setWall(realMs);
    const second = await caller.add('second');
    const requests = await receiver.until(3);
    expect(requests.map(({ event }) => event.data.id)).toEqual([first.id, first.id, second.id]);
  });

  test('with 410 deactivates the webhook', async () => {
    receiver.answerStatus(410);
    const { id } = await addWebhook(caller, receiver.url);
    await caller.add('tea');
    await expect.poll(async () => (await read(id)).active).toBe(false);
    expect(await deliveriesOf(caller, id, '?state=failed')).toHaveLength(1);
    daemon.clock.advance(HOUR_MS);
    await daemon.webhooks.follow();
    expect(receiver.requests).toHaveLength(1);
  });

  test('with 410 from an address that was changed meanwhile is tried at the new one at once', async () => {
    const { id } = await addWebhook(caller, receiver.url);
    const url = `${receiver.url}&moved`;
    receiver.answerWith(async (response, { path }) => {
      if (path.endsWith('&moved')) return response.writeHead(204).end();
      await caller.call(`/v1/webhooks/${id}`, { method: 'PATCH', body: { url } });
      return response.writeHead(410).end();
    });
    await caller.add('tea');
    expect(await untilTried(id, 2)).toMatchObject({ state: 'delivered' });
    expect(await read(id)).toMatchObject({ active: true, url });
  });

  test('is sent as `reset` once the log no longer has the changes that a webhook has not seen', async () => {
    receiver.answerStatus(500);
    const { id } = await addWebhook(caller, receiver.url);
    await daemon.db.writes.write(caller.tenantId, (connection) =>
      connection.run('UPDATE webhooks SET readNumber = 7777, readAt = 1 WHERE tenantId = ? AND id = ?', [
        caller.tenantId,
        id,
      ]),
    );
    await caller.add('tea');
    await receiver.until(1);
    expect(receiver.types()).toEqual(['reset']);
  });
});

describe('a slow receiver', () => {
  test('does not hold up others of the account, nor those of another', async () => {
    const slow = await startReceiver();
    let ended = 0;
    slow.answerWith((response) => response.on('close', () => ended++));
    for (let count = 0; count < 9; count += 1) await addWebhook(caller, slow.url);
    await addWebhook(caller, receiver.url);
    const other = await daemon.account();
    await addWebhook(other, receiver.url);
    await Promise.all([caller.add('tea'), other.add('coffee')]);
    await receiver.until(2);
    expect(ended).toBe(0);
    await slow.close();
  });

  test('cannot make svc read a long answer', async () => {
    let sent = 0;
    receiver.answerWith((response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        if (response.destroyed || sent > 5e7) return clearInterval(timer);
        sent += 65_536;
        response.write(Buffer.alloc(65_536));
      }, 1);
    });
    const { id } = await addWebhook(caller, receiver.url);
    expect((await post(`${id}/test`)).body).toMatchObject({ state: 'delivered', status: 200 });
    expect(sent).toBeLessThan(1e7);
  });
});

describe('what is stored', () => {
  test('are ids: an erased user is not named in what waited', async () => {
    receiver.answerStatus(500);
    const { id } = await addWebhook(caller, receiver.url);
    await addWebhook(caller, receiver.url, { user: 'quetzal' });
    await caller.add('The quetzal sings', { user: 'quetzal' });
    await receiver.until(2);
    expect((await caller.call('/v1/users/quetzal', erase)).status).toBe(204);
    receiver.answerStatus(204);
    daemon.clock.advance(5000);
    await expect.poll(() => receiver.types().at(-1)).toBe('user.deleted');
    const last = receiver.requests.filter(({ event }) => event.type === 'memory.created').at(-1)!;
    expect(last.event.data.user).toBeNull();
    const { data } = (await caller.call<{ data: Webhook[] }>('/v1/webhooks')).body;
    expect(data.map((webhook) => webhook.id)).toEqual([id]);
  });

  test('is deleted after thirty days, also what waits for a webhook that is not active', async () => {
    const { id } = await addWebhook(caller, receiver.url);
    const paused = await addWebhook(caller, receiver.url);
    receiver.answerStatus(500);
    await caller.add('tea');
    await untilTried(paused.id, 1);
    await caller.call(`/v1/webhooks/${paused.id}`, { method: 'PATCH', body: { active: false } });
    receiver.answerStatus(204);
    daemon.clock.advance(5000);
    await expect.poll(async () => (await deliveriesOf(caller, id))[0]?.state).toBe('delivered');
    daemon.clock.advance(29 * DAY_MS);
    await daemon.webhooks.deleteOld();
    expect([await deliveriesOf(caller, id), await deliveriesOf(caller, paused.id)].flat()).toHaveLength(2);
    daemon.clock.advance(2 * DAY_MS);
    await daemon.webhooks.deleteOld();
    expect([await deliveriesOf(caller, id), await deliveriesOf(caller, paused.id)].flat()).toEqual([]);
  });

  test('ends with the webhook', async () => {
    const { id } = await addWebhook(caller, receiver.url);
    await caller.add('tea');
    await untilTried(id, 1);
    expect((await caller.call(`/v1/webhooks/${id}`, erase)).status).toBe(204);
    const rows = await daemon.db.readers.all('SELECT id FROM webhookDeliveries WHERE tenantId = ?', [caller.tenantId]);
    expect(rows).toEqual([]);
    const keys = await daemon.db.readers.all('SELECT masterKeyId FROM dataKeys WHERE tenantId = ?', [caller.tenantId]);
    expect(keys).toEqual([]);
  });
});
