import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AddedMemory } from '../../../src/contract/memories.ts';
import { newAccount } from '../portability/portable-account.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

/** What the answer to adding a memory lists as about the same, so that its adder can say what it replaces. */

let daemon: MemoryDaemon;
let caller: Caller;

const OLD = 'Ada keeps her savings at the credit union';
const NEW = 'Ada moved her savings to Associated Bank';

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await newAccount(daemon);
});
afterAll(() => daemon.close());

const contentsOf = ({ related }: AddedMemory) => related?.map(({ content }) => content);

test('adding lists what is stored about the same, most alike first, only as many as asked for, and never the memory itself', async () => {
  await caller.addAll([
    { content: 'Ada drinks oolong tea at breakfast' },
    { content: 'Ada drinks tea' },
    { content: 'The mill sells flour on Fridays' },
  ]);
  const about = 'Ada drinks green tea at breakfast now';
  const listed = await caller.add(about, { related: 3 });
  expect(contentsOf(listed)).toEqual(['Ada drinks oolong tea at breakfast', 'Ada drinks tea']);
  expect(listed.related![0]).toEqual((await caller.read(listed.related![0]!.id)).body);
  expect(contentsOf(await caller.add(about, { related: 1 }))).toHaveLength(1);
  expect(contentsOf(await caller.add('Zebras graze', { related: 3 }))).toEqual([]);
  // A name alone, or one common word, is no subject.
  await caller.add('Ada can swim');
  expect(contentsOf(await caller.add('Ada hums', { related: 3 }))).toEqual([]);
});

test('a request that does not ask gets no list', async () => {
  await caller.add(OLD);
  expect(await caller.add(NEW)).not.toHaveProperty('related');
  expect(await caller.add(`${NEW}, downtown`, { related: 0 })).not.toHaveProperty('related');
});

test('tags of the new memory and of stored ones bring together what shares no word', async () => {
  await caller.add('We bank with Lincoln County', { tags: ['bank account', 'savings'] });
  expect(contentsOf(await caller.add('Everything moved to Associated', { related: 3 }))).toEqual([]);
  const tagged = await caller.add('Everything went to Associated', { related: 3, tags: ['bank account'] });
  expect(contentsOf(tagged)).toContain('We bank with Lincoln County');
});

test('the same content with supersedes closes what it replaces, once', async () => {
  const old = await caller.add(OLD);
  const added = await caller.add(NEW, { related: 3 });
  expect(added.related?.map(({ id }) => id)).toEqual([old.id]);
  const again = await caller.call<AddedMemory>('/v1/memories', {
    body: { content: NEW, supersedes: old.id, related: 3 },
  });
  expect([again.status, again.body.id, again.body.duplicate, again.body.related]).toEqual([200, added.id, true, []]);
  expect((await caller.read(old.id)).body).toMatchObject({ supersededBy: added.id });
  expect(await caller.find('Where does Ada keep her savings?')).not.toContain(OLD);
  const third = await caller.call('/v1/memories', { body: { content: NEW, supersedes: old.id } });
  expect(third.status).toBe(409);
});

test('only what holds for the same user and project is listed', async () => {
  const other = await newAccount(daemon);
  await other.add('Ada drinks tea at noon');
  await caller.add('Ada drinks tea at dawn', { user: 'bob' });
  await caller.add('Ada drinks tea at the office', { project: 'work' });
  await caller.add('Ada drinks tea at home', { project: 'house' });
  const past = await caller.add('Ada drinks tea at school');
  await caller.add('Ada drinks tea at college', { supersedes: past.id });
  expect(contentsOf(await caller.add('Ada drinks tea at night', { related: 10, project: 'house' }))).toEqual(
    expect.arrayContaining(['Ada drinks tea at home', 'Ada drinks tea at college']),
  );
  expect(contentsOf(await caller.add('Ada drinks tea late', { related: 10, project: 'house' }))).toHaveLength(3);
  const everywhere = contentsOf(await caller.add('Ada drinks tea early', { related: 10 }));
  expect(everywhere).toContain('Ada drinks tea at the office');
  expect(everywhere?.filter((content) => /noon|dawn|school/.test(content))).toEqual([]);
});

test('a repeated request lists again, and its stored answer stays the same', async () => {
  await caller.add(OLD);
  const request = { body: { content: NEW, related: 3 }, headers: { 'Idempotency-Key': 'related-1' } };
  const [first, second] = [
    await caller.call<AddedMemory>('/v1/memories', request),
    await caller.call<AddedMemory>('/v1/memories', request),
  ];
  expect([first.status, second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true']);
  expect(second.body).toEqual(first.body);
});

test('the list counts neither as a search nor for learning', async () => {
  await caller.add(OLD);
  await caller.add(NEW, { related: 3 });
  const searches = async () => (await caller.call<{ data: unknown[] }>('/v1/searches')).body.data;
  expect(await searches()).toEqual([]);
  await caller.search('savings');
  expect(await searches()).toHaveLength(1);
});

test.each([-1, 11, 1.5, '3', null])('related: %j is rejected by name', async (related) => {
  const answer = await caller.call('/v1/memories', { body: { content: 'x', related } });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('related')]);
});
