import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Space, SpaceMember } from '../../../src/contract/spaces.ts';
import type { Webhook } from '../../../src/contract/webhooks.ts';
import { converse, extract, extracted, KEY, untilEnded } from '../extraction/extraction-daemon.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from '../providers/provider-daemon.ts';
import { addWebhook, type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { addMember, inSpace, newPerson, newSpace, type Person } from './space-callers.ts';

let daemon: MemoryDaemon;
let ada: Person;
let lin: Person;
let space: Space;
let member: SpaceMember;
let asAda: Caller;
let asLin: Caller;
let receiver: Receiver;

beforeAll(async () => {
  daemon = await startProviderDaemon({ tasksFaster: 20 });
});
afterAll(() => daemon.close());
beforeEach(async () => {
  daemon.clock.advance(61_000);
  ada = await newPerson(daemon);
  lin = await newPerson(daemon);
  space = await newSpace(ada);
  member = await addMember(ada, space, lin, 'owner');
  asAda = inSpace(daemon, ada, space.id);
  asLin = inSpace(daemon, lin, space.id);
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const pathOf = () => `/v1/spaces/${space.id}/members/${member.id}`;
const webhook = async (id: string) => (await asAda.call<Webhook>(`/v1/webhooks/${id}`)).body;

/** The ways in which an owner stops being one. */
const DEPARTURES: Record<string, () => Promise<unknown>> = {
  removed: () => ada.call(pathOf(), { method: 'DELETE' }),
  'made writer': () => ada.call(pathOf(), { method: 'PATCH', body: { role: 'writer' } }),
  'gone by themselves': () => lin.call(`/v1/spaces/${space.id}/leave`, { method: 'POST' }),
  erased: () => lin.call('/v1/account', { method: 'DELETE' }),
};

describe('a webhook of a space', () => {
  test.each(Object.keys(DEPARTURES))(
    'sends nothing more once the owner who set it up is %s, and says why',
    async (way) => {
      const kept = await addWebhook(asAda, `${receiver.url}&kept`);
      const { id } = await addWebhook(asLin, `${receiver.url}&of=lin`);
      await asAda.add('Both hear of this');
      await receiver.until(2);
      await DEPARTURES[way]!();
      const off = await webhook(id);
      expect(off).toMatchObject({
        active: false,
        lastFailure: { message: expect.stringContaining('no longer owner') },
      });
      expect(off.lastFailure!.message).not.toContain(lin.email);
      await asAda.add('Only one hears of this');
      await receiver.until(3);
      expect(receiver.requests.slice(2).map(({ path }) => path)).toEqual(['/hook?of=svc&kept']);
      expect(await webhook(kept.id)).toMatchObject({ active: true, lastFailure: null });
    },
  );

  test('sends again once another owner switches it on, who answers for it from then on', async () => {
    const { id } = await addWebhook(asLin, receiver.url);
    await DEPARTURES.removed!();
    await asAda.call(`/v1/webhooks/${id}`, { method: 'PATCH', body: { active: true } });
    member = await addMember(ada, space, lin, 'owner');
    await DEPARTURES.removed!();
    expect(await webhook(id)).toMatchObject({ active: true });
    await asAda.add('Heard again');
    await receiver.until(1);
  });

  test('says who made a change, as event streams do, and nothing of who erased', async () => {
    await addWebhook(asAda, receiver.url);
    const { id } = await asLin.add('The build runs on Node 24');
    await asAda.change(id, { content: 'The build runs on Node 26' });
    await asLin.call('/v1/conversations', { body: { title: 'Plans' } });
    await asLin.call('/v1/remember', { body: { messages: [{ role: 'user', content: 'We deploy on Tuesdays' }] } });
    await receiver.until(4);
    await asAda.erase(id);
    await expect.poll(() => receiver.types()).toContain('memory.deleted');
    const authors = receiver.requests.map(({ event: { type, data } }) => [type, data.author]);
    expect(authors).toContainEqual(['memory.created', lin.email]);
    expect(authors).toContainEqual(['memory.updated', ada.email]);
    expect(authors).toContainEqual(['conversation.appended', lin.email]);
    expect(authors).toContainEqual(['memory.deleted', null]);
  });
});

test('a job that a member has started ends with the membership, and stores nothing more', async () => {
  const conversation = await asLin.call<{ id: string }>('/v1/conversations', { body: {} });
  const job = await daemon.db.writes.write(space.id, async (connection) => {
    const queued = await daemon.jobs.enqueue(connection, {
      ...{ tenantId: space.id, conversationId: conversation.body.id, provider: 'openai', model: 'gpt', dryRun: 0 },
      ...{ fromOrdinal: 0, toOrdinal: 1, total: 1, result: '{}', client: null, author: lin.email },
    });
    // Not for the runner.
    await connection.run('UPDATE jobs SET dueAt = ? WHERE tenantId = ? AND id = ?', [4e12, space.id, queued.id]);
    return queued;
  });
  await DEPARTURES['made writer']!();
  const stateOf = async () => {
    const { status, body, text } = await asAda.call<{ state: string }>(`/v1/jobs/${job.id}`);
    expect(status, text).toBe(200);
    return body.state;
  };
  expect(await stateOf()).not.toBe('cancelled');
  await ada.call(pathOf(), { method: 'PATCH', body: { role: 'reader' } });
  expect(await stateOf()).toBe('cancelled');
  const late = daemon.db.writes.write(space.id, (connection) =>
    daemon.jobs.advance(connection, { ...job, state: 'running' }, { done: 1 }),
  );
  await expect(late).rejects.toMatchObject({ code: 'conflict' });
});

test('a running job goes on after the role of the member whose request started it was lowered to writer', async () => {
  const server = await startProviderServer('openai');
  try {
    await putKey(asLin, server, KEY);
    server.respond(() => ({ memories: [extracted('The team deploys on Tuesdays', [1])] }));
    server.state.troubleFor = async () => {
      await DEPARTURES['made writer']!();
      return undefined;
    };
    const jobId = await extract(asLin, await converse(asLin, ['We deploy on Tuesdays']));
    expect(await untilEnded(asAda, jobId)).toMatchObject({ state: 'done', error: null });
    expect(await asAda.list()).toEqual(['The team deploys on Tuesdays']);
  } finally {
    await server.close();
  }
});

test('the answers to requests with an Idempotency-Key do not keep the address of an erased account', async () => {
  const headers = { 'idempotency-key': 'once' };
  await asLin.call('/v1/memories', { body: { content: 'Of Lin' }, headers });
  const mine = { body: { content: 'Of Ada' }, headers: { 'idempotency-key': 'twice' } };
  const first = await asAda.call('/v1/memories', mine);
  await DEPARTURES.erased!();
  const rows = await daemon.db.readers
    .of(space.id)
    .all<{ answer: string | null }>('SELECT answer FROM idempotencyKeys WHERE tenantId = ?', [space.id]);
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain(lin.email);
  expect((await asAda.call('/v1/memories', mine)).body).toEqual(first.body);
});
