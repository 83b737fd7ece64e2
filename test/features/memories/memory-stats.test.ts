import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { MemoryStats } from '../../../src/contract/memories-stats.ts';
import { countFacets } from '../../../src/features/memories/memories-store.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

const FAR = '2100-01-01T00:00:00.000Z';
const SOON_MS = 30 * 86_400_000;
const SOURCES = [
  undefined,
  { conversationId: 'c', messageId: '"episodeId":' },
  { episodeId: 'e', conversationId: 'c' },
];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  const added = await caller.addAll(
    Array.from({ length: 60 }, (_, index) => ({
      content: `Memory ${index}`,
      tags: [`t${index % 4}`, ...(index % 5 === 0 ? ['fifth'] : [])],
      user: index % 3 === 0 ? 'ada' : 'default',
      ...(index % 2 === 0 && { project: `p${index % 6}` }),
      ...(index % 10 === 0 && { expiresAt: FAR }),
      ...{ source: SOURCES[index % 3], pinned: index % 20 === 1, metadata: { k: index % 2 } },
      ...(index % 7 === 0 && { occurredAt: `2026-0${1 + (index % 3)}-0${1 + (index % 9)}T23:30:00-02:00` }),
    })),
  );
  const headers = { 'user-agent': 'codex/1' };
  const memories = [
    { content: 'By codex', expiresAt: new Date(daemon.clock.nowMs() + SOON_MS).toISOString() },
    { content: 'By codex too' },
  ];
  await caller.call('/v1/memories/batch', { body: { memories }, headers });
  await caller.call('/v1/memories', { body: { content: 'By nobody' }, headers: { 'user-agent': '(nobody)' } });
  await caller.add('In place of Memory 1', { supersedes: added[1]!.id });
  await caller.change(added[2]!.id, { content: 'Changed 2', addTags: ['changed'] });
  await caller.add('Soon gone', { expiresAt: new Date(daemon.clock.nowMs() + 1000).toISOString() });
  daemon.clock.advance(2000);
});
afterAll(() => daemon.close());

async function stats(query = '', by: Caller = caller): Promise<MemoryStats> {
  const answer = await by.call<MemoryStats>(`/v1/memories/stats${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function listed(query: string): Promise<Memory[]> {
  const { body } = await caller.call<{ data: Memory[] }>(`/v1/memories?limit=200${query && `&${query}`}`);
  return body.data;
}

function counted(values: readonly string[]) {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

function kindOf({ source }: Memory): string {
  if (source?.messageId !== undefined) return 'message';
  if (source?.episodeId !== undefined) return 'episode';
  return source?.conversationId === undefined ? 'none' : 'conversation';
}

describe('the counts of memories', () => {
  test.each([
    '',
    'user=ada',
    'project=p2',
    'project=p2&projectOnly=true',
    'tag=t1',
    'tags=t0&tags=fifth',
    'metadata.k=1',
    'source=c',
    'sourceKind=message',
    'sourceKind=none&user=ada',
    'client=codex',
    'client=node&tag=t1&sourceKind=none',
    'expires=any',
    'expires=soon',
    'pinned=true',
    'includeSuperseded=true',
    'after=2026-02-01T00:00:00Z&before=2026-03-01T00:00:00Z',
    'user=nobody',
  ])('with "%s" are those of the list with the same filter', async (filter) => {
    const memories = await listed(filter);
    const all = await listed(`${filter}&includeSuperseded=true`.replace('includeSuperseded=true&', ''));
    const soonMs = daemon.clock.nowMs() + SOON_MS;
    const { total, facets, histogram } = await stats(`?${filter}`);
    expect(total).toBe(memories.length);
    expect(facets).toEqual({
      users: counted(memories.map(({ user }) => user)),
      tags: counted(memories.flatMap(({ tags }) => tags)),
      projects: counted(memories.flatMap(({ project }) => project ?? [])),
      sources: counted(memories.map(kindOf)),
      clients: counted(memories.flatMap(({ client }) => client ?? [])),
      states: {
        current: memories.filter(({ validTo }) => validTo === null).length,
        superseded: all.filter(({ validTo }) => validTo !== null).length,
        pinned: memories.filter(({ pinned }) => pinned).length,
        expiring: memories.filter(({ expiresAt }) => expiresAt !== null).length,
        expiringSoon: memories.filter(({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) <= soonMs).length,
      },
    });
    expect(histogram.days.reduce((sum, { count }) => sum + count, 0)).toBe(total);
  });

  test('by day follow UTC, by the time stored or the time that the filter compares', async () => {
    const memories = await listed('');
    const days = (times: string[]) =>
      counted(times.map((time) => time.slice(0, 10)))
        .map(({ value, count }) => ({ day: value, count }))
        .sort((a, b) => (a.day < b.day ? -1 : 1));
    expect((await stats()).histogram).toEqual({
      ...{ by: 'createdAt', unit: 'day' },
      days: days(memories.map(({ createdAt }) => createdAt)),
    });
    expect((await stats('?tag=fifth&histogram=occurredAt')).histogram).toEqual({
      ...{ by: 'occurredAt', unit: 'day' },
      days: days((await listed('tag=fifth')).map(({ occurredAt, createdAt }) => occurredAt ?? createdAt)),
    });
  });

  test('go to months past 400 days, and to years past as many months', async () => {
    const owner = await daemon.account();
    const histogram = async (user: string, ...times: string[]) => {
      await owner.addAll(times.map((occurredAt) => ({ content: occurredAt, occurredAt, user })));
      const { unit, days } = (await stats(`?user=${user}&histogram=occurredAt`, owner)).histogram;
      return [unit, ...days.map(({ day, count }) => `${day}: ${count}`)];
    };
    const start = '1969-12-31T23:59:59.999Z';
    expect(await histogram('days', start, '1971-02-03T12:00:00Z')).toEqual(['day', '1969-12-31: 1', '1971-02-03: 1']);
    expect(await histogram('months', start, '1969-12-01T00:00:00Z', '1971-02-04T00:00:00Z')).toEqual([
      ...['month', '1969-12-01: 2', '1971-02-01: 1'],
    ]);
    expect(await histogram('years', start, '1600-02-29T00:00:00Z', '2400-02-29T00:00:00Z')).toEqual([
      ...['year', '1600-01-01: 1', '1969-01-01: 1', '2400-01-01: 1'],
    ]);
  });

  test('name the 50 most frequent values of a facet', async () => {
    const owner = await daemon.account();
    const names = Array.from({ length: 60 }, (_, index) => `tag ${String(index).padStart(2, '0')}`);
    await owner.addAll([
      { content: 'All', tags: names },
      ...names.slice(50).map((tag) => ({ content: tag, tags: [tag] })),
    ]);
    const { tags } = (await stats('', owner)).facets;
    expect(tags.map(({ value }) => value)).toEqual([...names.slice(50), ...names.slice(0, 40)]);
  });

  test('name those of equally frequent values that come first by their bytes', async () => {
    const owner = await daemon.account();
    const letters = [...'abcdefghijklmnopqrstuvwxyz'];
    const names = [...letters.map((letter) => letter.toUpperCase()), ...letters];
    await owner.add('All', { tags: names.toReversed() });
    const { tags } = (await stats('', owner)).facets;
    expect(tags.map(({ value }) => value)).toEqual(names.slice(0, 50));
  });

  test('read a bounded number of tags, so that no account fills the memory with them', async () => {
    const owner = await daemon.account();
    await owner.addAll([
      { content: 'One', tags: ['a', 'b', 'c'] },
      { content: 'Two', tags: ['d', 'e', 'f'] },
    ]);
    const filter = { tenantId: owner.tenantId, includeSuperseded: false, nowMs: daemon.clock.nowMs() };
    const counting = { filter, time: 'createdAt', maxValues: 50, maxTags: 4, maxBuckets: 400 } as const;
    const rows = await countFacets(daemon.db.readers.of(owner.tenantId), counting);
    const tags = rows.filter(({ facet }) => facet === 'tag');
    expect([tags.length, rows.find(({ facet }) => facet === 'total')?.count]).toEqual([4, 2]);
  });

  test('are of one account alone', async () => {
    const stranger = await daemon.account();
    await stranger.add('Memory 0', { tags: ['theirs'], source: { messageId: 'm' } });
    expect(JSON.stringify(await stats('?includeSuperseded=true'))).not.toContain('theirs');
    expect(await stats('?source=c', stranger)).toMatchObject({ total: 0, facets: { states: { superseded: 0 } } });
    expect(await stats('?tag=t1', stranger)).toMatchObject({ total: 0, histogram: { unit: 'day', days: [] } });
    expect(await stats('', stranger)).toMatchObject({ total: 1, facets: { tags: [{ value: 'theirs', count: 1 }] } });
  });

  test.each(['histogram=updatedAt', 'limit=5', 'orderBy=createdAt', 'projectOnly=true', 'after=soon', 'metadata=x'])(
    'refuse "%s"',
    async (query) => {
      expect((await caller.call(`/v1/memories/stats?${query}`)).status).toBe(400);
    },
  );

  test('run one at a time for an account, and beyond 16 waiting are refused for a moment', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => caller.call('/v1/memories/stats')));
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, headers, body } of refused) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    }
    expect(refused.length).toBeLessThan(44);
    expect((await stats()).total).toBeGreaterThan(0);
  });
});
