import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { Answer } from '../../helpers/daemon.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { newAccount } from '../portability/portable-account.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
/** All memories as stored. */
let stored: Memory[];

interface Page {
  data: Memory[];
  nextCursor: string | null;
  total?: number;
}

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await newAccount(daemon);
  const times = ['2020-01-01T00:00:00.000Z', '2021-01-01T00:00:00.000Z', undefined];
  const tags = [[], ['a'], ['b'], ['a', 'b'], ['a', 'b', 'c']];
  const metadata = [{}, { k: 'x' }, { k: 'y', n: 5 }, { n: '5', on: true }, { 'a.b': 'z', k: null, list: [1] }];
  const sources = [undefined, { conversationId: 'conv_1' }, { messageId: 'msg_1', conversationId: 'conv_1' }];
  const added = await caller.addAll(
    Array.from({ length: 60 }, (_, index) => ({
      content: `Memory ${index}`,
      ...{ occurredAt: times[index % 3], tags: tags[index % 5], metadata: metadata[(index * 7) % 5] },
      ...{ source: sources[(index * 5) % 3], project: ['p', 'q', undefined][(index * 11) % 3] },
      user: index % 4 === 0 ? 'ada' : 'default',
    })),
  );
  for (const index of [3, 17, 40, 5]) {
    daemon.clock.advance(1000);
    await caller.change(added[index]!.id, { content: `Changed ${index}` });
  }
  stored = await walk('limit=200');
  expect(stored).toHaveLength(60);
});
afterAll(() => daemon.close());

interface TitledPage extends Omit<Page, 'data'> {
  data: { title: string }[];
}

async function walk(query: string): Promise<Memory[]> {
  const found: Memory[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v1/memories?${query}${cursor && `&cursor=${cursor}`}`;
    const answer: Answer<Page> = await caller.call<Page>(path);
    expect(answer.status, answer.text).toBe(200);
    found.push(...answer.body.data);
    cursor = answer.body.nextCursor;
  }
  return found;
}

interface Asked {
  orderBy: 'createdAt' | 'occurredAt' | 'updatedAt';
  order: 'asc' | 'desc';
  tags: string[];
  metadata: string[];
  source: string | undefined;
  project: string | undefined;
  projectOnly: boolean;
  user: string | undefined;
  limit: number;
}

/** The memories that a list must return, worked out from all of them. */
function expected(asked: Asked): string[] {
  const { orderBy, order, tags, metadata, source, project, projectOnly, user } = asked;
  const matching = stored.filter(
    (memory) =>
      tags.every((tag) => memory.tags.includes(tag)) &&
      metadata.every((pair) => {
        const [name = '', value] = pair.split('=');
        return String(memory.metadata[name]) === value;
      }) &&
      (source === undefined || Object.values(memory.source ?? {}).includes(source)) &&
      (project === undefined || memory.project === project || (!projectOnly && memory.project === null)) &&
      (user === undefined || memory.user === user),
  );
  const sign = order === 'asc' ? 1 : -1;
  const key = (memory: Memory) => (orderBy === 'createdAt' ? '' : (memory[orderBy] ?? ''));
  const compare = (a: string, b: string) => (a < b ? -sign : a > b ? sign : 0);
  const isLast = (memory: Memory) => Number(orderBy === 'occurredAt' && memory.occurredAt === null);
  matching.sort((a, b) => isLast(a) - isLast(b) || compare(key(a), key(b)) || compare(a.id, b.id));
  return matching.map(({ content }) => content);
}

function queryOf({ tags, metadata, ...asked }: Asked): string {
  const single = Object.entries(asked).filter(([, value]) => value !== undefined && value !== false);
  const members = metadata.map((pair) => [`metadata.${pair.split('=')[0]}`, pair.split('=')[1]!]);
  const pairs = [
    ...single.map(([name, value]) => [name, String(value)]),
    ...tags.map((tag) => ['tags', tag]),
    ...members,
  ];
  return new URLSearchParams(pairs).toString();
}

const anyOf = <T>(...values: T[]) => fc.constantFrom(...values);
const ASKED: fc.Arbitrary<Asked> = fc
  .record({
    orderBy: anyOf<Asked['orderBy']>('createdAt', 'occurredAt', 'updatedAt'),
    order: anyOf<Asked['order']>('asc', 'desc'),
    tags: fc.uniqueArray(anyOf('a', 'b', 'c'), { maxLength: 3 }),
    metadata: fc.uniqueArray(anyOf('k=x', 'n=5', 'on=true', 'a.b=z', 'k=none'), { maxLength: 1 }),
    source: anyOf(undefined, undefined, 'conv_1', 'msg_1', 'ep_none'),
    project: anyOf(undefined, 'p', 'q'),
    projectOnly: fc.boolean(),
    user: anyOf(undefined, undefined, 'ada'),
    limit: anyOf(3, 7, 200),
  })
  .map((asked) => (asked.project === undefined ? { ...asked, projectOnly: false } : asked));

describe('a list of memories', () => {
  test('by any filter, order and page size returns exactly the matches, each once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(ASKED, async (asked) => {
        const found = await walk(queryOf(asked));
        expect(found.map(({ content }) => content)).toEqual(expected(asked));
      }),
      { numRuns: 30 },
    );
  });

  test('with total names the number of all matches on every page, and without it none', async () => {
    const page = async (query: string) => (await caller.call<Page>(`/v1/memories?${query}`)).body;
    expect(await page('limit=1')).not.toHaveProperty('total');
    const first = await page('limit=7&total=true&tags=a&tags=b');
    expect(first.total).toBe(stored.filter(({ tags }) => tags.includes('a') && tags.includes('b')).length);
    expect(await page(`limit=7&total=true&tags=a&tags=b&cursor=${first.nextCursor}`)).toMatchObject({
      total: first.total,
    });
    expect((await page('total=true&source=msg_1')).total).toBe(expected({ ...NOTHING, source: 'msg_1' }).length);
    expect((await page('total=true&user=nobody')).total).toBe(0);
  });

  test('finds metadata by any value as JSON writes it', async () => {
    const other = await newAccount(daemon);
    const values = [1 / 3, -2 / 3, 1e-7, 5e-324, Number.MAX_SAFE_INTEGER, 100, 0, true, false, 'true', '1e-7', ''];
    const names = ['n', 'a.b', `it's "n"\\`, 'toString'];
    const memories = values.flatMap((value, index) =>
      names.map((name) => ({ content: `${index} ${name}`, metadata: { [name]: value, other: 0.5 } })),
    );
    await other.addAll(memories);
    for (const [index, value] of values.entries()) {
      for (const name of names) {
        const alike = values.flatMap((one, at) => (String(one) === String(value) ? [`${at} ${name}`] : []));
        const query = `?limit=200&order=asc&${encodeURIComponent(`metadata.${name}`)}=${encodeURIComponent(value)}`;
        expect(await other.list(query), query).toEqual(alike);
        const filter = { metadata: { [name]: value } };
        const found = await other.call<Page>('/v1/memories/query', { body: { filter, order: 'asc' } });
        expect(
          found.body.data.map(({ content }) => content),
          `${index} ${name}`,
        ).toEqual(alike);
      }
    }
  });

  test('binds its cursor to the order', async () => {
    const { nextCursor } = (await caller.call<Page>('/v1/memories?limit=2&orderBy=updatedAt')).body;
    const status = async (query: string) =>
      (await caller.call(`/v1/memories?limit=2${query}&cursor=${nextCursor}`)).status;
    expect(await status('&orderBy=occurredAt')).toBe(400);
    expect(await status('&orderBy=updatedAt&order=asc')).toBe(400);
    expect(await status('')).toBe(400);
    expect(await status('&orderBy=updatedAt&order=desc&total=true')).toBe(200);
  });

  test.each([
    ['orderBy=content', 'orderBy'],
    ['order=up', 'order'],
    ['total=maybe', 'total'],
    ['tags=', 'tags'],
    ['metadata.=x', 'metadata.'],
    ['metadata.k=1&metadata.k=2', 'metadata.k'],
    ['metadata=x', 'metadata'],
    ['source=', 'source'],
    [Array.from({ length: 17 }, (_, index) => `metadata.k${index}=1`).join('&'), 'metadata.k16'],
  ])('refuses "%s"', async (query, path) => {
    const { status, body } = await caller.call<{ errors: { path: string }[] }>(`/v1/memories?${query}`);
    expect([status, body.errors[0]?.path]).toEqual([400, path]);
  });

  test('finds a memory by its new source after a replacement, and no longer by the old', async () => {
    const owner = await newAccount(daemon);
    const put = (source?: object) =>
      owner.call('/v1/memories/external/x', { method: 'PUT', body: { content: 'Sourced', ...(source && { source }) } });
    await put({ episodeId: 'ep_1' });
    expect(await owner.list('?source=ep_1')).toEqual(['Sourced']);
    await put({ messageId: 'msg_2' });
    expect(await owner.list('?source=ep_1')).toEqual([]);
    expect(await owner.list('?source=msg_2')).toEqual(['Sourced']);
    const [{ id } = { id: '' }] = (await owner.call<Page>('/v1/memories?source=msg_2')).body.data;
    await owner.erase(id);
    expect(await owner.list('?source=msg_2')).toEqual([]);
  });
});

const NOTHING: Asked = {
  ...{ orderBy: 'createdAt', order: 'desc', tags: [], metadata: [], limit: 50 },
  ...{ source: undefined, project: undefined, projectOnly: false, user: undefined },
};

describe.each(['conversations', 'episodes'] as const)('a list of %s', (collection) => {
  test('goes either way, page by page, and counts', async () => {
    const owner = await newAccount(daemon);
    for (const title of ['one', 'two', 'three']) {
      if (collection === 'episodes') await conversing(owner).episode({ title, ...SPAN });
      else await conversing(owner).begin({ title });
    }
    const titles = async (query: string) => {
      const all: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const path: string = `/v1/${collection}?${query}${cursor && `&cursor=${cursor}`}`;
        const { body }: Answer<TitledPage> = await owner.call<TitledPage>(path);
        all.push(...body.data.map(({ title }) => title));
        expect(body.total).toBe(query.includes('total') ? 3 : undefined);
        cursor = body.nextCursor;
      }
      return all;
    };
    expect(await titles('limit=2')).toEqual(['three', 'two', 'one']);
    expect(await titles('limit=2&order=asc&total=true')).toEqual(['one', 'two', 'three']);
    const { nextCursor } = (await owner.call<Page>(`/v1/${collection}?limit=1&order=asc`)).body;
    expect((await owner.call(`/v1/${collection}?limit=1&cursor=${nextCursor}`)).status).toBe(400);
  });
});
