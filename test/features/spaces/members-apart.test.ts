import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { Space, SpaceLogEntry } from '../../../src/contract/spaces.ts';
import type { WebhookWithSecret } from '../../../src/contract/webhooks.ts';
import { onPostgres } from '../../helpers/postgres/folder-databases.ts';
import { connectDevice } from '../connections/device.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { addMember, inSpace, newPerson, newSpace, type Person } from './space-callers.ts';

let daemon: MemoryDaemon;
let ada: Person;
let lin: Person;
let space: Space;
let asAda: Caller;
let asLin: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  ada = await newPerson(daemon);
  lin = await newPerson(daemon);
  space = await newSpace(ada);
  await addMember(ada, space, lin, 'writer');
  asAda = inSpace(daemon, ada, space.id);
  asLin = inSpace(daemon, lin, space.id);
});

const actionsOf = async () =>
  (await ada.call<{ data: SpaceLogEntry[] }>(`/v1/spaces/${space.id}/log`)).body.data.map(({ action }) => action);

const factOf = (content: string) => `${JSON.stringify({ content })}\n`;
/** Enough for a first batch to be stored while the rest is awaited. */
const LONG = Array.from({ length: 600 }, (_, index) => factOf(`Fact ${index}`)).join('');
const NDJSON = { 'content-type': 'application/x-ndjson' };

/** Begins an import that does not end by itself. */
function beginImport({ apiKey }: Caller, text: string) {
  const headers = {
    ...{ authorization: `Bearer ${apiKey}`, 'x-svc-space': space.id },
    'content-type': 'application/x-ndjson',
  };
  const sent = request(`${daemon.baseUrl}/v1/import`, { method: 'POST', headers });
  sent.on('error', () => {});
  sent.write(text);
  return sent;
}

describe('the erasure of a user', () => {
  const body = { url: 'https://hooks.example.com/svc', user: 'grace' };

  test('is refused to a writer while a webhook is for this user, and erases the webhook for an owner', async () => {
    const { id } = (await asAda.call<WebhookWithSecret>('/v1/webhooks', { body })).body;
    const memory = await asLin.add('Grace likes tea', { user: 'grace' });
    const refused = await asLin.call('/v1/users/grace', { method: 'DELETE' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(refused.text).toContain('A webhook is for the changes of this user alone');
    expect((await asLin.call(`/v1/memories/${memory.id}`)).status).toBe(200);
    expect((await asAda.call(`/v1/webhooks/${id}`)).status).toBe(200);
    expect((await asAda.call('/v1/users/grace', { method: 'DELETE' })).status).toBe(204);
    expect((await asAda.call(`/v1/webhooks/${id}`)).status).toBe(404);
  });

  test('is refused to a device while a webhook is for this user, and to no device otherwise', async () => {
    const device = await connectDevice(daemon, ada.apiKey);
    const erase = (user: string) => daemon.call(device, `/v1/users/${user}`, { method: 'DELETE' });
    const { id } = (await ada.call<WebhookWithSecret>('/v1/webhooks', { body })).body;
    for (const user of ['grace', 'hedy']) await ada.add('Likes tea', { user });
    expect([(await erase('grace')).status, (await erase('hedy')).status]).toEqual([403, 204]);
    await ada.call(`/v1/webhooks/${id}`, { method: 'DELETE' });
    expect((await erase('grace')).status).toBe(204);
  });
});

test('an Idempotency-Key of one member is not that of another', async () => {
  const headers = { 'idempotency-key': 'nightly' };
  const first = await asAda.call<Memory>('/v1/memories', { body: { content: 'Tea' }, headers });
  const other = await asLin.call<Memory>('/v1/memories', { body: { content: 'Coffee' }, headers });
  expect([first.status, other.status]).toEqual([201, 201]);
  expect(other.headers.get('idempotency-replayed')).toBeNull();
  const again = await asAda.call<Memory>('/v1/memories', { body: { content: 'Tea' }, headers });
  expect([again.body.id, again.headers.get('idempotency-replayed')]).toEqual([first.body.id, 'true']);
  const longest = { 'idempotency-key': 'k'.repeat(255) };
  for (const isReplayed of [null, 'true']) {
    const { status, headers: got } = await asLin.call('/v1/memories', { body: { content: 'Mate' }, headers: longest });
    expect([status, got.get('idempotency-replayed')]).toEqual([201, isReplayed]);
  }
});

describe('imports into a space', () => {
  const importAsAda = (body: string) => asAda.call('/v1/import', { method: 'POST', body, headers: NDJSON });

  test('that end early are in the log if they have stored something, and not otherwise', async () => {
    const none = beginImport(lin, factOf('Lin drinks tea'));
    await sleep(300);
    none.destroy();
    await expect.poll(async () => (await importAsAda('not JSON')).status).not.toBe(409);
    expect(await asAda.list()).toEqual([]);
    const count = async () => (await actionsOf()).filter((action) => action === 'imported').length;
    const before = await count();
    const sent = beginImport(lin, LONG);
    await expect.poll(async () => (await asAda.list()).length).toBeGreaterThan(0);
    expect(await count()).toBe(before);
    sent.destroy();
    await expect.poll(count).toBe(before + 1);
  });

  test('make others wait no longer than they bring at least something', async () => {
    const slow = beginImport(lin, LONG);
    const status = new Promise<number | undefined>((resolve) => {
      slow.on('response', (response) => resolve(response.resume().statusCode));
    });
    await expect.poll(async () => (await asAda.list()).length).toBeGreaterThan(0);
    expect((await importAsAda(factOf('Ada drinks tea'))).status).toBe(409);
    let answered: number | undefined;
    status.then((one) => {
      answered = one;
    });
    // The daemon may not be waiting for the next bytes yet.
    const drip = () => {
      daemon.clock.advance(31_000);
      slow.write('\n');
      return answered;
    };
    await expect.poll(drip, { interval: 200 }).toBe(503);
    await expect.poll(async () => (await importAsAda(factOf('Ada drinks tea'))).status).toBe(200);
  });
});

test('a member who may only read teaches the space nothing by reading', async () => {
  const reader = await newPerson(daemon);
  await addMember(ada, space, reader, 'reader');
  const { id } = await asAda.add('The plum is ripe');
  const taught = async (caller: Caller) => {
    await caller.search('plum');
    await daemon.learning.flush();
    await caller.read(id);
    await sleep(onPostgres ? 500 : 50);
    await daemon.db.writes.write('daemon', async () => {});
    return (await asAda.call<{ events: number }>('/v1/retrieval')).body.events;
  };
  expect(await taught(inSpace(daemon, reader, space.id))).toBe(0);
  expect(await taught(asLin)).toBe(1);
});
