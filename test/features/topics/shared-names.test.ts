import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Topic } from '../../../src/contract/topics.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;
let caller: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
});

/** Two people of one first name. */
const PEOPLE = ['Ada Lovelace wrote notes', 'Ada Lovelace rows', 'Ada Byron paints', 'Ada Byron left'];

/** Adds memories. Returns their ids once their topics are found. */
async function tell(...contents: string[]): Promise<string[]> {
  const added = await caller.addAll(contents.map((content) => ({ content })));
  await caller.compared();
  return added.map(({ id }) => id);
}
async function listed(): Promise<Topic[]> {
  return (await caller.call<{ data: Topic[] }>('/v1/topics')).body.data;
}
async function counts(): Promise<Record<string, number>> {
  return Object.fromEntries((await listed()).map(({ name, memoryCount }) => [name, memoryCount]));
}
async function idOf(name: string): Promise<string> {
  const found = (await listed()).find((one) => one.name === name);
  expect(found, name).toBeDefined();
  return found!.id;
}
const change = async (name: string, body: object) =>
  caller.call<Topic & { code: string }>(`/v1/topics/${await idOf(name)}`, { method: 'PATCH', body });
const merge = async (into: string, from: string) =>
  caller.call<Topic>(`/v1/topics/${await idOf(into)}/merge`, { body: { topicIds: [await idOf(from)] } });
const split = async (name: string, aliases: string[]) =>
  caller.call<Topic>(`/v1/topics/${await idOf(name)}/split`, { body: { aliases } });

describe('a word of several names that has its own topic', () => {
  beforeEach(async () => {
    await tell(...PEOPLE, 'Ada likes tea', 'Ada called');
    expect(await counts()).toEqual({ 'Ada Lovelace': 2, 'Ada Byron': 2, Ada: 2 });
  });

  test('stays with the topic that it is merged into, and leaves it again', async () => {
    const merged = await merge('Ada Lovelace', 'Ada');
    expect(merged.status, merged.text).toBe(200);
    expect(merged.body.aliases).toContain('Ada');
    await tell('Ada moved', 'Ada paints');
    expect(await counts()).toEqual({ 'Ada Lovelace': 6, 'Ada Byron': 2 });
    expect((await split('Ada Lovelace', ['Ada'])).status).toBe(201);
    await tell('Ada sings');
    expect(await counts()).toEqual({ 'Ada Lovelace': 2, 'Ada Byron': 2, Ada: 5 });
  });

  test.each(['Ada Lovelace', 'Ada'])('keeps its topic when "%s" is split off what was merged into it', async (off) => {
    expect((await merge('Ada', 'Ada Lovelace')).status).toBe(200);
    const own = await split('Ada', [off]);
    expect(own.status, own.text).toBe(201);
    await tell('Ada moved');
    expect(await counts()).toEqual({ 'Ada Lovelace': 2, 'Ada Byron': 2, Ada: 3 });
  });

  test('stays an alias of the topic when that is renamed', async () => {
    const renamed = await change('Ada', { name: 'Ada Novak' });
    expect(renamed.status, renamed.text).toBe(200);
    expect(renamed.body.aliases).toEqual(['Ada']);
    await tell('Ada moved', 'Ada paints');
    expect(await counts()).toEqual({ 'Ada Lovelace': 2, 'Ada Byron': 2, 'Ada Novak': 4 });
  });

  test.each([{ aliases: ['Ada'] }, { name: 'ada' }])('is not given to another topic: %j', async (body) => {
    const refused = await change('Ada Lovelace', body);
    expect(refused.status, refused.text).toBe(409);
    expect(refused.body.code).toBe('conflict');
    await tell('Ada moved');
    expect(await counts()).toEqual({ 'Ada Lovelace': 2, 'Ada Byron': 2, Ada: 3 });
  });
});

test('a word of several names goes to another topic with the only memory that mentions it alone', async () => {
  await tell(...PEOPLE);
  const [alone] = await tell('Ada likes tea');
  const given = await change('Ada Lovelace', { aliases: ['Ada'] });
  expect(given.status, given.text).toBe(200);
  const own = () =>
    daemon.db.readers.all<{ name: string }>('SELECT name FROM topics WHERE tenantId = ? ORDER BY name', [
      caller.tenantId,
    ]);
  expect(await own()).toEqual([{ name: 'Ada Byron' }, { name: 'Ada Lovelace' }]);
  const { memoryCount } = given.body;
  await caller.call(`/v1/memories/${alone}`, { method: 'DELETE' });
  expect(await own()).toEqual([{ name: 'Ada Byron' }, { name: 'Ada Lovelace' }]);
  expect((await counts())['Ada Lovelace']).toBe(memoryCount - 1);
});

test.each(['the boat', 'The Boat'])(
  'a name that is given twice, as "The Boat" and "%s", is given once',
  async (again) => {
    const [first] = await caller.addAll(
      ['Likes tea', 'Likes milk', 'Likes figs'].map((content) => ({ content, tags: ['heron'] })),
    );
    await tell('Painted the boat');
    const changed = await change('heron', { name: 'The Boat', aliases: [again, 'heron'] });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body).toMatchObject({ name: 'The Boat', aliases: ['heron'], memoryCount: 4 });
    // Erasing a memory renames a topic whose name is not stored in the same spelling.
    await caller.call(`/v1/memories/${first!.id}`, { method: 'DELETE' });
    expect(await counts()).toEqual({ 'The Boat': 3 });
  },
);

test('a name is split off together with a word of it', async () => {
  await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'Linus Berg cooks', 'Linus Berg runs');
  expect((await merge('Linus Berg', 'Ada Lovelace')).status).toBe(200);
  const own = await split('Linus Berg', ['Ada Lovelace', 'Lovelace']);
  expect(own.status, own.text).toBe(201);
  expect(await counts()).toEqual({ 'Linus Berg': 2, 'Ada Lovelace': 2 });
});
