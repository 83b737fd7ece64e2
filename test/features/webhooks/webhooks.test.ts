import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import type { Webhook, WebhookDelivery } from '../../../src/contract/webhooks.ts';
import { connectDevice } from '../connections/device.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../providers/provider-daemon.ts';
import { addWebhook, deliveriesOf, type Receiver, startReceiver, verify } from './receiver.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let receiver: Receiver;

beforeAll(async () => {
  daemon = await startProviderDaemon({ tasksFaster: 20 });
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await daemon.account();
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

describe('a webhook', () => {
  test('is added, changed and removed through the client, and shows its secret only when that is made', async () => {
    const client = createClient({ baseUrl: daemon.baseUrl, apiKey: caller.apiKey });
    const { secret, ...added } = await client.webhooks.create({ url: receiver.url, events: ['feedback'] });
    expect(secret).toMatch(/^whsec_[\w+/]{32}$/);
    expect(added).toMatchObject({ url: receiver.url, events: ['feedback'], user: null, active: true });
    expect(await client.webhooks.get(added.id)).toEqual(added);
    expect(await client.webhooks.list()).toEqual({ data: [added], nextCursor: null });
    const changed = await client.webhooks.update(added.id, { events: null, user: 'ada' });
    expect(changed).toEqual({ ...added, events: null, user: 'ada' });
    expect((await client.webhooks.test(added.id)).state).toBe('delivered');
    expect((await client.webhooks.rotateSecret(added.id)).secret).not.toBe(secret);
    await client.webhooks.delete(added.id);
    await expect(client.webhooks.get(added.id)).rejects.toMatchObject({ status: 404 });
  });

  test('is refused to a device, and beyond ten in an account', async () => {
    const device = await connectDevice(daemon, caller.apiKey);
    expect((await daemon.call(device, '/v1/webhooks', { body: { url: receiver.url } })).status).toBe(403);
    expect((await daemon.call(device, '/v1/webhooks')).status).toBe(403);
    for (let count = 0; count < 10; count += 1) await addWebhook(caller, receiver.url);
    const answer = await caller.call('/v1/webhooks', { body: { url: receiver.url } });
    expect(answer).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
  });

  test('shows its secret again to a repeated request, until the secret was rotated', async () => {
    const create = () =>
      caller.call<{ secret: string; id: string }>('/v1/webhooks', {
        ...{ body: { url: receiver.url }, headers: { 'idempotency-key': 'once' } },
      });
    const { secret, id } = (await create()).body;
    expect((await create()).body).toMatchObject({ id, secret });
    const rotated = await caller.call<{ secret: string }>(`/v1/webhooks/${id}/rotate-secret`, { method: 'POST' });
    expect(rotated.status, rotated.text).toBe(200);
    const repeated = await create();
    expect(repeated).toMatchObject({ status: 410, body: { code: 'gone' } });
    for (const one of [secret, rotated.body.secret]) expect(repeated.text).not.toContain(one);
  });

  test('has a secret that is sealed: nobody reads it in the database', async () => {
    const { id, secret } = await addWebhook(caller, receiver.url);
    const row = await daemon.db.readers.get<{ secret: Buffer }>('SELECT secret FROM webhooks WHERE id = ?', [id]);
    expect(row!.secret.includes(Buffer.from(secret.slice(6), 'base64'))).toBe(false);
    expect(row!.secret.toString('latin1')).not.toContain(secret.slice(6));
    expect(daemon.logLines.join('\n')).not.toContain(secret);
  });

  test('can be signed for after the last provider key of the account is removed', async () => {
    const server = await startProviderServer('openai');
    const { id, secret } = await addWebhook(caller, receiver.url);
    await putKey(caller, server, 'sk-0123456789');
    expect((await caller.call('/v1/provider-keys/openai', { method: 'DELETE' })).status).toBe(204);
    await caller.call(`/v1/webhooks/${id}/test`, { method: 'POST' });
    verify(receiver.requests[0]!, secret);
    await server.close();
  });

  test('that cannot be signed for says so, and is signed for again with a new secret', async () => {
    const { id } = await addWebhook(caller, receiver.url);
    await daemon.db.writes.write(caller.tenantId, (connection) =>
      connection.run('DELETE FROM dataKeys WHERE tenantId = ?', [caller.tenantId]),
    );
    const post = (path: string) => caller.call<WebhookDelivery>(`/v1/webhooks/${id}/${path}`, { method: 'POST' });
    expect((await post('test')).body).toMatchObject({ state: 'failed', status: null });
    expect(receiver.requests).toHaveLength(0);
    await post('rotate-secret');
    expect((await post('test')).body.state).toBe('delivered');
  });

  test('is noted in the activity by its id', async () => {
    const { id } = await addWebhook(caller, receiver.url);
    const noted = async () => (await caller.call('/v1/activity?route=/v1/webhooks')).text;
    await expect.poll(noted).toContain(id);
  });

  test('takes one test at a time, so that a slow receiver holds one connection', async () => {
    const { id } = await addWebhook(caller, receiver.url);
    const held: ServerResponse[] = [];
    receiver.answerWith((response) => void held.push(response));
    const post = () => caller.call(`/v1/webhooks/${id}/test`, { method: 'POST' });
    const first = post();
    await expect.poll(() => held).toHaveLength(1);
    expect((await post()).status).toBe(409);
    held[0]!.writeHead(204).end();
    expect((await first).status).toBe(200);
  });
});

describe('an address', () => {
  let strict: MemoryDaemon;
  let cautious: Caller;
  beforeAll(async () => {
    strict = await startMemoryDaemon();
    cautious = await strict.account();
  });
  afterAll(() => strict.close());

  test.each([
    'http://hooks.example.com/',
    'https://127.0.0.1/',
    'https://10.0.0.8/',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[fd00:ec2::254]/',
    'https://[64:ff9b::7f00:1]/',
    'https://user:secret@hooks.example.com/',
    'https://hooks.example.com/#part',
    'ftp://hooks.example.com/',
    'file:///etc/passwd',
    'hooks.example.com',
  ])('%s is refused when a webhook is added and when it is changed', async (url) => {
    const added = await cautious.call('/v1/webhooks', { body: { url } });
    expect(added).toMatchObject({ status: 422, body: { code: 'unprocessable' } });
    const { data } = (await cautious.call<{ data: Webhook[] }>('/v1/webhooks')).body;
    const { id } = data[0] ?? (await addWebhook(cautious, 'https://hooks.example.com/a?b=c'));
    const changed = await cautious.call(`/v1/webhooks/${id}`, { method: 'PATCH', body: { url } });
    expect(changed.status).toBe(422);
  });

  test('whose name leads to a private host is not called', async () => {
    const { id } = await addWebhook(cautious, `https://localhost:${receiver.port}/`);
    const { body } = await cautious.call<WebhookDelivery>(`/v1/webhooks/${id}/test`, { method: 'POST' });
    expect(body).toMatchObject({ state: 'failed', status: null });
    expect(body.error).toContain('SVC_PROVIDER_HOSTS');
    expect(receiver.requests).toHaveLength(0);
  });
});

test('a daemon that stops between sending and recording sends again with the same id, and goes on in order', async () => {
  const { folder, stop } = daemon;
  const { id, secret } = await addWebhook(caller, receiver.url);
  receiver.answerWith(() => {});
  const first = await caller.add('first');
  await receiver.until(1);
  const second = await caller.add('second');
  await daemon.webhooks.collect();
  await stop();
  receiver.answerWith((response) => response.writeHead(200).end());
  daemon = await startProviderDaemon({ tasksFaster: 20, dataDir: folder, clock: daemon.clock });
  const requests = await receiver.until(3);
  expect(requests.map(({ event }) => event.data.id)).toEqual([first.id, first.id, second.id]);
  expect(requests[1]!.headers['webhook-id']).toBe(requests[0]!.headers['webhook-id']);
  for (const request of requests) verify(request, secret);
  const again = {
    ...caller,
    call: (path: string, options = {}) => daemon.call(caller.apiKey, path, options),
  } as Caller;
  await expect.poll(async () => (await deliveriesOf(again, id, '?state=delivered')).length).toBe(2);
});
