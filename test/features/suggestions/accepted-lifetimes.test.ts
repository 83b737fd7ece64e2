import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import { instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { portable } from '../portability/portable-account.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

const HOUR_MS = 3_600_000;
const NUMBER = 'My desk is number 28';
const WORDS = 'My desk is number twenty-eight';

let daemon: MemoryDaemon;
let caller: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
});

/** The time some hours from now. */
const at = (hours: number) => instant(daemon.clock.nowMs() + hours * HOUR_MS);

describe('what is kept of merged memories', () => {
  async function merge(...memories: Record<string, unknown>[]): Promise<Memory> {
    caller = await newSuggesting(daemon);
    const ids: string[] = [];
    for (const memory of memories) {
      ids.push((await caller.add([NUMBER, WORDS, `${WORDS} still`][ids.length]!, memory)).id);
      daemon.clock.advance(1000);
    }
    const { id } = await caller.suggest({ kind: 'merge', memoryIds: ids });
    await caller.decide(id, 'accept');
    const undone = await caller.decide(id, 'undo');
    for (const [index, memory] of memories.entries())
      expect((await caller.read(ids[index]!)).body).toMatchObject(memory);
    await caller.decide(undone.id, 'accept');
    return (await caller.read(ids[0]!)).body;
  }

  test('lasts as long as one of them does', async () => {
    expect(await merge({ expiresAt: at(2) }, {})).toMatchObject({ expiresAt: null });
    expect(await merge({}, { expiresAt: at(2) })).toMatchObject({ expiresAt: null });
    const later = at(3);
    expect(await merge({ expiresAt: at(2) }, { expiresAt: later }, { expiresAt: at(1) })).toMatchObject({
      expiresAt: later,
    });
  });

  test('belongs to no project unless all do', async () => {
    expect(await merge({ project: 'atlas' }, {})).toMatchObject({ project: null });
    expect(await merge({ project: 'atlas' }, { project: 'bakery' })).toMatchObject({ project: null });
    expect(await merge({ project: 'atlas' }, { project: 'atlas' })).toMatchObject({ project: 'atlas' });
  });

  test('is pinned if one of them was', async () => {
    expect(await merge({}, { pinned: true })).toMatchObject({ pinned: true });
    expect(await merge({ pinned: true }, {})).toMatchObject({ pinned: true });
    expect(await merge({}, {})).toMatchObject({ pinned: false });
  });
});

test('each line of a split memory expires with it, and is pinned as it was', async () => {
  const like = { expiresAt: at(2), pinned: true };
  const { id } = await caller.add('Ada works at Bosch. Our office is in Graz.', like);
  const content = 'Ada works at Bosch.\nOur office is in Graz.';
  await caller.decide((await caller.suggest({ kind: 'split', memoryIds: [id], content })).id, 'accept');
  const { data } = (await caller.call<{ data: Memory[] }>('/v1/memories')).body;
  expect(data).toMatchObject([like, like]);
});

test('the lines of a split memory stay as old as it is, behind what was told since', async () => {
  const first = await caller.add('My standup is at 9:30. Ada has a dog.');
  daemon.clock.advance(720 * HOUR_MS);
  const newer = await caller.add('My standup is at 10:00.');
  daemon.clock.advance(720 * HOUR_MS);
  const content = 'Ada has a dog.\nMy standup is at 9:30.';
  await caller.decide((await caller.suggest({ kind: 'split', memoryIds: [first.id], content })).id, 'accept');
  const { data } = (await caller.call<{ data: Memory[] }>('/v1/memories')).body;
  const split = data.find((memory) => memory.content === 'My standup is at 9:30.')!;
  expect(split.occurredAt).toBe(first.createdAt);
  expect((await caller.search('when is my standup?')).body.results[0]).toMatchObject({ id: newer.id });
  for (const suggestion of await caller.compared()) expect(suggestion.memoryIds.at(-1)).not.toBe(split.id);
});

test.each([
  ['the first line', ['I work at Bosch.'], ['My bike is red.']],
  ['the second line', ['My bike is red.'], ['I work at Bosch.']],
  ['every line', ['I work at Bosch.', 'My bike is red.'], []],
])('a memory is split though %s of it is stored already, and undo restores it', async (_, known, others) => {
  for (const content of known) await caller.add(content);
  const { id } = await caller.add('I work at Bosch. My bike is red.');
  const content = 'I work at Bosch.\nMy bike is red.';
  const suggestion = await caller.suggest({ kind: 'split', memoryIds: [id], content });
  await caller.decide(suggestion.id, 'accept');
  expect((await caller.list()).sort()).toEqual([...known, ...others].sort());
  await caller.decide(suggestion.id, 'undo');
  expect((await caller.list()).sort()).toEqual([...known, 'I work at Bosch. My bike is red.'].sort());
});

test('what another program keeps is merged with nothing, and the reason is said', async () => {
  const own = await caller.add('Ada prefers oolong tea in the morning');
  const file = { content: '/memories/tea.md\n\nAda prefers oolong tea in the morning', tags: ['/memories'] };
  const path = `/v1/memories/external/${encodeURIComponent('/memories/tea.md')}`;
  expect((await caller.call(path, { method: 'PUT', body: file })).status).toBe(201);
  expect(await caller.compared()).toEqual([]);
  const { id } = (await caller.call<Memory>(path)).body;
  const suggestion = await caller.suggest({ kind: 'merge', memoryIds: [own.id, id] });
  const refused = await caller.call(`/v1/suggestions/${suggestion.id}/accept`, { method: 'POST' });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain(`Another program keeps the memory ${id} as /memories/tea.md: change it there.`);
  expect((await caller.call<Memory>(path)).body).toMatchObject(file);
});

test('a fact of a project takes the place of none that holds everywhere', async () => {
  const general = await caller.add('The standup is at nine', { occurredAt: at(-48) });
  await caller.add('The standup is at ten', { occurredAt: at(-24), project: 'atlas' });
  expect(await caller.compared()).toEqual([]);
  const { results } = (await caller.search('when is the standup?', { project: 'website' })).body;
  expect(results).toMatchObject([{ id: general.id }]);
  expect(results[0]).not.toHaveProperty('possiblySupersededBy');
  const own = await caller.add('The standup is at eleven', { project: 'atlas' });
  expect((await caller.compared()).map(({ memoryIds }) => memoryIds.at(-1))).toEqual([own.id]);
});

test('a rejection is not undone once a memory says something else', async () => {
  const { id } = await caller.add(NUMBER);
  const other = await caller.add(`${WORDS}, in Graz`);
  const suggestion = await caller.suggest({ kind: 'merge', memoryIds: [id, other.id], content: `${NUMBER}, in Graz` });
  await caller.decide(suggestion.id, 'reject');
  await caller.change(id, { tags: ['office'] });
  expect(await caller.decide(suggestion.id, 'undo')).toMatchObject({ state: 'open' });
  await caller.decide(suggestion.id, 'reject');
  await caller.change(id, { content: 'My desk is number 31 since the move' });
  const undo = await caller.call(`/v1/suggestions/${suggestion.id}/undo`, { method: 'POST' });
  expect(undo).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

test('what was superseded is not current again once its successor was superseded or is outdated', async () => {
  const older = await caller.add('Ada lives in Linz');
  const newer = await caller.add('Ada lives in Graz');
  const { id } = await caller.suggest({ kind: 'supersede', memoryIds: [older.id, newer.id] });
  const undo = () => caller.call(`/v1/suggestions/${id}/undo`, { method: 'POST' });
  await caller.decide(id, 'accept');
  expect(await undo()).toMatchObject({ status: 200 });
  await caller.decide(id, 'accept');
  await caller.change(newer.id, { validTo: at(0) });
  expect(await undo()).toMatchObject({ status: 409, body: { code: 'conflict' } });
  await caller.change(newer.id, { validTo: null });
  await caller.add('Ada lives in Oslo', { supersedes: newer.id });
  expect(await undo()).toMatchObject({ status: 409, body: { code: 'conflict' } });
  expect(await caller.list()).toEqual(['Ada lives in Oslo']);
});

describe('merged memories with more than one may have', () => {
  const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}${at}`);

  test('keep the tags and members of the one that stays, and those of the others while there is room', async () => {
    const like = (name: string) => ({
      tags: named(name, 40),
      metadata: Object.fromEntries(named(name, 40).map((member) => [member, 1])),
    });
    const [one, other] = await caller.addAll([
      { content: NUMBER, ...like('a') },
      { content: WORDS, ...like('b') },
    ]);
    await caller.decide((await caller.suggest({ kind: 'merge', memoryIds: [one!.id, other!.id] })).id, 'accept');
    const { tags, metadata } = (await caller.read(one!.id)).body;
    expect(tags).toEqual([...named('a', 40), ...named('b', 24)]);
    expect(Object.keys(metadata)).toEqual([...named('a', 40), ...named('b', 24)]);
    const moved = await newSuggesting(daemon);
    expect(await portable(moved).importFile(await portable(caller).text())).toMatchObject({ skipped: 0 });
  });

  test('keep metadata within its bytes', async () => {
    const [one, other] = await caller.addAll([
      { content: NUMBER, metadata: { a: 'x'.repeat(9000) } },
      { content: WORDS, metadata: { b: 'x'.repeat(9000), c: 1 } },
    ]);
    await caller.decide((await caller.suggest({ kind: 'merge', memoryIds: [one!.id, other!.id] })).id, 'accept');
    expect((await caller.read(one!.id)).body.metadata).toEqual({ a: 'x'.repeat(9000), c: 1 });
  });
});

test('a memory is split into 100 at most, suggested or edited', async () => {
  const { id } = await caller.add('Notes about many things');
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `Thing ${at} is told.`).join('\n');
  const suggestion = (count: number) => ({ kind: 'split', reason: 'Many', memoryIds: [id], content: lines(count) });
  const suggest = (count: number) => caller.call('/v1/suggestions', { body: { suggestions: [suggestion(count)] } });
  expect((await suggest(101)).status).toBe(400);
  const open = await caller.suggest({ kind: 'split', memoryIds: [id], content: lines(100) });
  const accept = (body: object) => caller.call(`/v1/suggestions/${open.id}/accept`, { body });
  expect((await accept({ content: lines(101) })).status).toBe(400);
  expect((await accept({})).status).toBe(200);
  expect(await caller.list('?limit=200')).toHaveLength(100);
});
