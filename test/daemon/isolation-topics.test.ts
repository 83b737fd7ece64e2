import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Topic } from '../../src/contract/topics.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../features/suggestions/suggestion-daemon.ts';
import { TOPIC_OPERATIONS } from './topic-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

const NEVER = `top_${'0'.repeat(32)}`;
const SAID = [
  'Morgana Pym keeps bees',
  'Morgana Pym has a boat',
  'Morgana rows',
  'Basil Thorn rows',
  'Basil Thorn sings',
];

/** An account that knows two people. */
async function newKnowing(user?: string): Promise<{ caller: Suggesting; ids: readonly [string, string] }> {
  const caller = await newSuggesting(daemon);
  await caller.addAll(SAID.map((content) => ({ content, ...(user !== undefined && { user }) })));
  await caller.compared();
  return { caller, ids: await idsOf(caller, user) };
}

async function idsOf(caller: Suggesting, user = 'default'): Promise<readonly [string, string]> {
  const { data } = (await caller.call<{ data: Topic[] }>(`/v1/topics?user=${user}`)).body;
  const idOf = (name: string) => data.find((topic) => topic.name === name)!.id;
  return [idOf('Morgana Pym'), idOf('Basil Thorn')];
}

test.each(Object.entries(TOPIC_OPERATIONS))(
  'another tenant’s topic is indistinguishable from a missing one when %s; its tenant succeeds',
  async (_name, { method, path, body }) => {
    const [owner, stranger] = [await newKnowing(), await newKnowing()];
    const call = ({ caller, ids }: typeof owner, id: string) =>
      caller.call(`/v1/topics/${id}${path}`, { method, body: typeof body === 'function' ? body(ids[1]) : body });
    const [foreign, missing] = [await call(stranger, owner.ids[0]), await call(stranger, NEVER)];
    expect(foreign.status).toBe(404);
    expect(visible(foreign, owner.ids[0])).toEqual(visible(missing, NEVER));
    expect((await owner.caller.call<Topic>(`/v1/topics/${owner.ids[0]}`)).body).toMatchObject({
      ...{ name: 'Morgana Pym', aliases: ['Morgana'], memoryCount: 3, hidden: false },
    });
    expect((await call(owner, owner.ids[0])).status).toBeLessThan(300);
  },
);

test('topics of an account are listed, merged and searched with in no other', async () => {
  const [owner, stranger] = [await newKnowing(), await newKnowing()];
  const listed = await stranger.caller.call<{ data: Topic[] }>('/v1/topics');
  expect(listed.body.data.map(({ id }) => id)).not.toContain(owner.ids[0]);
  const merging = { body: { topicIds: [owner.ids[1]] } };
  expect((await stranger.caller.call(`/v1/topics/${stranger.ids[0]}/merge`, merging)).status).toBe(404);
  const found = await stranger.caller.call<{ results: unknown[] }>('/v1/search', {
    body: { query: 'Morgana Pym', filter: { topic: owner.ids[0] } },
  });
  expect(found.body.results).toEqual([]);
});

test('topics of users of one account stay apart: none is merged with, named after or searched by another’s', async () => {
  const { caller, ids } = await newKnowing('ada');
  await caller.addAll(SAID.map((content) => ({ content, user: 'grace' })));
  await caller.compared();
  const [ofGrace] = await idsOf(caller, 'grace');
  expect(ofGrace).not.toBe(ids[0]);
  const merged = await caller.call(`/v1/topics/${ids[0]}/merge`, { body: { topicIds: [ofGrace] } });
  expect(merged).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  const found = await caller.call<{ results: unknown[] }>('/v1/search', {
    body: { query: 'Morgana Pym', user: 'grace', filter: { topic: ids[0] } },
  });
  expect(found.body.results).toEqual([]);
});

test('a cursor of another account is refused', async () => {
  const [owner, stranger] = [await newKnowing(), await newKnowing()];
  const { nextCursor } = (await owner.caller.call<{ nextCursor: string }>('/v1/topics?limit=1')).body;
  expect((await stranger.caller.call(`/v1/topics?limit=1&cursor=${nextCursor}`)).status).toBe(400);
});

test('an erased user or account leaves no name behind', async () => {
  const { caller } = await newKnowing('ada');
  const rows = async () => {
    const tables = ['topics', 'topicNames', 'topicMentions'];
    const counts = await Promise.all(
      tables.map((table) =>
        daemon.db.readers.get<{ rows: number }>(`SELECT COUNT(*) AS rows FROM ${table} WHERE tenantId = ?`, [
          caller.tenantId,
        ]),
      ),
    );
    return counts.map((count) => Number(count!.rows));
  };
  expect(Math.min(...(await rows()))).toBeGreaterThan(0);
  expect((await caller.call('/v1/users/ada', { method: 'DELETE' })).status).toBe(204);
  await expect.poll(rows).toEqual([0, 0, 0]);
});
