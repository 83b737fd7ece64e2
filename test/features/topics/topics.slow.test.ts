import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Topic, TopicDetails } from '../../../src/contract/topics.ts';
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

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();

async function topics(query = ''): Promise<Topic[]> {
  await caller.compared();
  const { body } = await caller.call<{ data: Topic[] }>(`/v1/topics${query}`);
  return body.data;
}

async function topic(name: string): Promise<TopicDetails> {
  const found = (await topics()).find((one) => one.name === name);
  expect(found, name).toBeDefined();
  return (await caller.call<TopicDetails>(`/v1/topics/${found!.id}`)).body;
}

const tell = (...contents: string[]) =>
  caller.addAll(contents.map((content, index) => ({ content, occurredAt: day(index + 1) })));

describe('topics', () => {
  test('are what several memories mention, with the names that they use for it', async () => {
    await tell(
      'My sister Ada Lovelace lives in Linz',
      'We visited Ada in spring',
      'My sister plays the viola',
      'Bought new tires on Thursday',
    );
    expect(await topics()).toEqual([
      expect.objectContaining({
        ...{ name: 'Ada Lovelace', aliases: ['Ada', 'my sister'], memoryCount: 3, lastAt: day(3), user: 'default' },
      }),
    ]);
  });

  test('tell two people of the same first name apart', async () => {
    await tell(
      'Peter Hahn is our plumber',
      'Called Peter Hahn about the leak',
      'Peter Voss teaches the guitar class',
      'Peter Voss moved the class to Monday',
      'The invoice of Peter is due',
    );
    expect((await topics()).map(({ name, memoryCount }) => [name, memoryCount])).toEqual([
      ['Peter Voss', 2],
      ['Peter Hahn', 2],
    ]);
  });

  test('have every memory that says a word of several names once a person gives it to one', async () => {
    await tell(
      'Peter Hahn is our plumber',
      'Called Peter Hahn about the leak',
      'Peter Voss teaches the guitar class',
      'Peter Voss moved the class to Monday',
      'The invoice of Peter is due',
    );
    const hahn = await topic('Peter Hahn');
    await caller.call(`/v1/topics/${hahn.id}`, { method: 'PATCH', body: { aliases: ['Peter'] } });
    expect((await topic('Peter Hahn')).now.map(({ content }) => content)).toContain('The invoice of Peter is due');
  });

  test('are projects and tags too, and words that no dictionary has', async () => {
    await caller.addAll([
      { content: 'We deploy ferrydesk with gigalixir', project: 'harbor', tags: ['deploys'] },
      { content: 'The logs of ferrydesk are kept for a week', project: 'harbor', tags: ['deploys'] },
    ]);
    expect((await topics('?sort=name')).map(({ name }) => name)).toEqual(['deploys', 'ferrydesk', 'harbor']);
  });

  test('show what holds now and what was before, mentions by month, and what else their memories mention', async () => {
    const [old] = await tell(
      'Kim Park works at Acme',
      'Kim Park and Lou Reiter share an office',
      'Lou Reiter likes tea',
    );
    await caller.add('Kim Park works at Globex', { occurredAt: day(40), supersedes: old!.id });
    const kim = await topic('Kim Park');
    expect(kim.now.map(({ content }) => content)).toEqual([
      'Kim Park works at Globex',
      'Kim Park and Lou Reiter share an office',
    ]);
    expect(kim.before.map(({ content }) => content)).toEqual(['Kim Park works at Acme']);
    expect(kim.mentions).toEqual([
      { month: '2026-01', memories: 2 },
      { month: '2026-02', memories: 1 },
    ]);
    expect(kim.related).toEqual([expect.objectContaining({ name: 'Lou Reiter', memoryCount: 1 })]);
  });

  test('count what an open suggestion puts another in the place of as before', async () => {
    await tell('Kim Park lives in Linz, near the river', 'Kim Park moved to Graz');
    const kim = await topic('Kim Park');
    expect(kim.now.map(({ content }) => content)).toEqual(['Kim Park moved to Graz']);
    expect(kim.before).toEqual([expect.objectContaining({ possiblySupersededBy: kim.now[0]!.id })]);
  });

  test('follow a memory that is changed, and forget one that is erased with the names that only it had', async () => {
    const [first, second] = await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'Ada likes oolong');
    expect((await topic('Ada Lovelace')).memoryCount).toBe(3);
    await caller.call(`/v1/memories/${first!.id}`, { method: 'PATCH', body: { content: 'Grace Hopper plays chess' } });
    expect((await topic('Ada Lovelace')).memoryCount).toBe(2);
    await caller.call(`/v1/memories/${second!.id}`, { method: 'DELETE' });
    await caller.add('Ada collects stamps');
    expect(await topics()).toEqual([expect.objectContaining({ name: 'Ada', aliases: [], memoryCount: 2 })]);
  });

  test('are found by the beginning of a word of a name, page by page', async () => {
    await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'Linus Berg cooks', 'Linus Berg runs');
    expect((await topics('?q=love')).map(({ name }) => name)).toEqual(['Ada Lovelace']);
    expect(await topics('?q=ove')).toEqual([]);
    expect(await topics('?q=%25')).toEqual([]);
    for (const sort of ['memories', 'latest', 'name']) {
      const all = await topics(`?sort=${sort}`);
      const first = await caller.call<{ data: Topic[]; nextCursor: string }>(`/v1/topics?sort=${sort}&limit=1`);
      const rest = await caller.call<{ data: Topic[] }>(
        `/v1/topics?sort=${sort}&limit=9&cursor=${encodeURIComponent(first.body.nextCursor)}`,
      );
      expect([...first.body.data, ...rest.body.data]).toEqual(all);
    }
  });

  test('restrict a search to the memories that mention them', async () => {
    await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'Linus Berg plays chess');
    const { id } = await topic('Ada Lovelace');
    const { body } = await caller.call<{ results: { memory: { content: string } }[] }>('/v1/search', {
      body: { query: 'who plays chess', filter: { topic: id } },
    });
    const contents = JSON.stringify(body);
    expect(contents).toContain('Ada Lovelace plays chess');
    expect(contents).not.toContain('Linus Berg');
  });
});

test('a user has about 5,000 names at most: those that one memory mentions are forgotten first', async () => {
  await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat');
  const name = (number: number) => `Xq${number.toString(36).padStart(4, '0')}x`;
  // Questions are not compared.
  const content = (memory: number) =>
    `met ${Array.from({ length: 16 }, (_, at) => name(memory * 16 + at)).join(', ')}?`;
  await caller.addAll(Array.from({ length: 350 }, (_, memory) => ({ content: content(memory) })));
  expect((await topics()).map(({ name: of }) => of)).toEqual(['Ada Lovelace']);
  const stored = await daemon.db.readers.get<{ names: number }>(
    'SELECT COUNT(*) AS names FROM topicNames WHERE tenantId = ?',
    [caller.tenantId],
  );
  expect(Number(stored!.names)).toBeLessThan(5500);
  expect(Number(stored!.names)).toBeGreaterThan(4000);
});

describe('a person', () => {
  test('names a topic, and gives it aliases that memories are found by', async () => {
    await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'the countess likes oolong');
    const { id } = await topic('Ada Lovelace');
    const changed = await caller.call<Topic>(`/v1/topics/${id}`, {
      method: 'PATCH',
      body: { name: 'Ada', aliases: ['Ada Lovelace', 'the countess'] },
    });
    expect(changed.body).toMatchObject({ name: 'Ada', aliases: ['Ada Lovelace', 'the countess'], memoryCount: 3 });
    await caller.add('dinner with the countess at eight');
    expect(await topic('Ada')).toMatchObject({ memoryCount: 4 });
  });

  test('takes an alias away, which becomes a separate topic and stays one', async () => {
    await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'Ada rows', 'Ada swims');
    const { id } = await topic('Ada Lovelace');
    await caller.call(`/v1/topics/${id}`, { method: 'PATCH', body: { aliases: [] } });
    await caller.add('Ada dives');
    const found = (await topics('?sort=name')).map(({ name, memoryCount }) => [name, memoryCount]);
    expect(found).toEqual([
      ['Ada', 3],
      ['Ada Lovelace', 2],
    ]);
  });

  test('takes back a name that no memory has, and may give it again', async () => {
    await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'Linus Berg cooks', 'Linus Berg runs');
    const [ada, linus] = [await topic('Ada Lovelace'), await topic('Linus Berg')];
    const change = (id: string, body: object) => caller.call<Topic>(`/v1/topics/${id}`, { method: 'PATCH', body });
    await change(ada.id, { name: 'The countess' });
    expect((await change(ada.id, { name: 'Ada Lovelace', aliases: [] })).body).toMatchObject({ aliases: [] });
    expect((await topics('?sort=name')).map(({ name }) => name)).toEqual(['Ada Lovelace', 'Linus Berg']);
    expect((await change(linus.id, { aliases: ['The countess'] })).status).toBe(200);
    const split = await caller.call(`/v1/topics/${linus.id}/split`, { body: { aliases: ['The countess'] } });
    expect(split.body).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('in no memory') });
    await change(linus.id, { aliases: ['Linus'] });
    expect((await topics('?sort=name')).map(({ name }) => name)).toEqual(['Ada Lovelace', 'Linus Berg']);
    expect((await change(ada.id, { aliases: ['The countess'] })).body).toMatchObject({ aliases: ['The countess'] });
  });

  test('merges topics and splits them again', async () => {
    await tell('We use Postgres', 'Postgres is at 16', 'The PostgreSQL port is 5433', 'PostgreSQL has backups');
    const [one, other] = [await topic('Postgres'), await topic('PostgreSQL')];
    const merged = await caller.call<Topic>(`/v1/topics/${one.id}/merge`, { body: { topicIds: [other.id] } });
    expect(merged).toMatchObject({ status: 200, body: { name: 'Postgres', aliases: ['PostgreSQL'], memoryCount: 4 } });
    expect((await caller.call(`/v1/topics/${other.id}`)).status).toBe(404);
    await caller.add('Dump PostgreSQL at night');
    expect((await topic('Postgres')).memoryCount).toBe(5);
    const split = await caller.call<Topic>(`/v1/topics/${one.id}/split`, { body: { aliases: ['PostgreSQL'] } });
    expect(split).toMatchObject({ status: 201, body: { name: 'PostgreSQL', aliases: [], memoryCount: 3 } });
    expect((await topic('Postgres')).memoryCount).toBe(2);
  });

  test('gets a topic back as it was before a merge', async () => {
    await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat', 'Linus Berg cooks', 'Linus Berg runs');
    const [ada, linus] = [await topic('Ada Lovelace'), await topic('Linus Berg')];
    await caller.call(`/v1/topics/${linus.id}/merge`, { body: { topicIds: [ada.id] } });
    await caller.call(`/v1/topics/${linus.id}/split`, { body: { aliases: ['Ada Lovelace'] } });
    await caller.add('Lovelace collects stamps');
    expect(await topic('Ada Lovelace')).toMatchObject({ memoryCount: 3, aliases: ['Lovelace'] });
  });

  test('hides what is no topic', async () => {
    await tell('We use Postgres', 'Postgres is at 16');
    const { id } = await topic('Postgres');
    await caller.call(`/v1/topics/${id}`, { method: 'PATCH', body: { hidden: true } });
    await caller.add('Postgres has backups');
    expect(await topics()).toEqual([]);
    expect(await topics('?hidden=true')).toEqual([expect.objectContaining({ name: 'Postgres', memoryCount: 3 })]);
  });

  test('learns what cannot be done', async () => {
    await tell('We use Postgres', 'Postgres is at 16', 'Redis is small', 'Redis is fast');
    const [one, other] = [await topic('Postgres'), await topic('Redis')];
    const refused = async (path: string, body: object, method = 'POST') =>
      (await caller.call<{ code: string; detail: string }>(`/v1/topics/${path}`, { method, body })).body.code;
    expect(await refused(one.id, { aliases: ['Redis'] }, 'PATCH')).toBe('conflict');
    expect(await refused(one.id, { name: '!!!' }, 'PATCH')).toBe('invalid_request');
    expect(await refused(`${one.id}/merge`, { topicIds: [one.id] })).toBe('invalid_request');
    expect(await refused(`${one.id}/merge`, { topicIds: ['top_none'] })).toBe('not_found');
    expect(await refused(`${one.id}/split`, { aliases: ['Postgres'] })).toBe('invalid_request');
    expect(await refused(`${one.id}/split`, { aliases: [other.name] })).toBe('invalid_request');
    const stale = await caller.call(`/v1/topics/${one.id}`, {
      ...{ method: 'PATCH', body: { name: 'PG' }, headers: { 'if-match': '"stale"' } },
    });
    expect(stale.status).toBe(412);
  });
});

test('no masked credential becomes a name', async () => {
  const key = `sk-proj-${'aB3dE6gH9k'.repeat(4)}`;
  await tell(`The gateway takes ${key} as its key`, `Gateway staging takes ${key} as well`);
  expect(JSON.stringify(await topics())).not.toMatch(/redact|mask|sk-/i);
});

test('a name that a person gives links all memories that say it, in any number', async () => {
  await tell('Ada Lovelace plays chess', 'Ada Lovelace has a cat');
  await caller.addAll(Array.from({ length: 60 }, (_, at) => ({ content: `note ${at}: dinner with the countess` })));
  const { id } = await topic('Ada Lovelace');
  const changed = await caller.call<Topic>(`/v1/topics/${id}`, {
    method: 'PATCH',
    body: { aliases: ['Ada', 'the countess'] },
  });
  expect(changed.body).toMatchObject({ memoryCount: 62 });
  const many = await caller.call(`/v1/topics/${id}`, {
    method: 'PATCH',
    body: { aliases: Array.from({ length: 11 }, (_, at) => `alias ${at}`) },
  });
  expect(many.body).toMatchObject({ code: 'invalid_request', detail: expect.stringContaining('more than 10 names') });
});

test('a memory whose key is cut within a character holds up no topics, and such a name is taken', async () => {
  const caller = await newSuggesting(daemon);
  await caller.add(`${'今日は朝から駅前の店に行って友人と一緒に食べた'.repeat(4).slice(0, 79)}𠮷野家が好き`);
  await caller.add('Peter Hahn is our plumber');
  await caller.add('Called Peter Hahn about the leak');
  await caller.compared();
  const { data } = (await caller.call<{ data: Topic[] }>('/v1/topics')).body;
  expect(data.map(({ name }) => name)).toContain('Peter Hahn');
  const name = `a${'𠮷'.repeat(40)}`;
  expect((await caller.call(`/v1/topics/${data[0]!.id}`, { method: 'PATCH', body: { name } })).status).toBe(200);
});
