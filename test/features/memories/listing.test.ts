import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

interface Page {
  data: { content: string }[];
  nextCursor: string | null;
}

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  await caller.addAll([
    { content: 'bare' },
    { content: 'spring', tags: ['season', 'green'], occurredAt: '2020-04-01T00:00:00Z' },
    { content: 'summer', tags: ['season'], occurredAt: '2020-07-01T00:00:00Z' },
    { content: 'autumn of ann', tags: ['season'], occurredAt: '2020-10-01T00:00:00Z', user: 'ann' },
    { content: 'Season in capitals', tags: ['Season'] },
    { content: 'expired', tags: ['season'], expiresAt: '2020-01-01T00:00:00Z' },
  ]);
  const old = await caller.add('closed', { tags: ['season'], occurredAt: '2020-05-01T00:00:00Z' });
  await caller.add('its successor', { supersedes: old.id });
});
afterAll(() => daemon.close());

async function pageOf(query: string): Promise<Page> {
  const answer = await caller.call<Page>(`/v1/memories?${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Reads all pages of a list and runs `between` after each. */
async function walk(query: string, between: () => Promise<unknown> = async () => {}): Promise<string[]> {
  const contents: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; await between()) {
    const page: Page = await pageOf(`${query}${cursor && `&cursor=${cursor}`}`);
    contents.push(...page.data.map(({ content }) => content));
    cursor = page.nextCursor;
  }
  return contents;
}

const ALL = ['its successor', 'Season in capitals', 'autumn of ann', 'summer', 'spring', 'bare'];
const FILTERS: [string, string[]][] = [
  ['', ALL],
  ['includeSuperseded=false', ALL],
  ['includeSuperseded=true', ['its successor', 'closed', ...ALL.slice(1)]],
  ['user=ann', ['autumn of ann']],
  ['user=default', ALL.filter((content) => content !== 'autumn of ann')],
  ['user=nobody', []],
  ['tag=season', ['autumn of ann', 'summer', 'spring']],
  ['tag=season&includeSuperseded=true', ['closed', 'autumn of ann', 'summer', 'spring']],
  ['tag=Season', ['Season in capitals']],
  ['tag=seaso', []],
  ['tag=season&user=ann', ['autumn of ann']],
  ['after=2020-04-01T00:00:00Z&before=2020-10-01T00:00:00Z', ['summer']],
  ['after=2020-03-31T23:59:59.999Z&before=2020-10-01T00:00:00.001Z', ['autumn of ann', 'summer', 'spring']],
  ['before=2021-01-01T00:00:00Z&tag=green', ['spring']],
  ['after=2021-01-01T00:00:00Z', ['its successor', 'Season in capitals', 'bare']],
];

describe('the list', () => {
  test.each(FILTERS)(
    'returns exactly the matches of "%s", newest first, in one page or in many',
    async (filter, contents) => {
      expect(await walk(filter)).toEqual(contents);
      expect(await walk(`limit=1&${filter}`)).toEqual(contents);
      expect(await walk(`limit=2&${filter}`)).toEqual(contents);
    },
  );

  test('returns each memory once while others are added and erased between pages', async () => {
    const owner = await daemon.account();
    await owner.addAll(Array.from({ length: 20 }, (_, index) => ({ content: `first ${index}`, tags: ['t'] })));
    const erased = await owner.add('erased on the way');
    const swap = [caller, owner] as const;
    caller = owner;
    for (const query of ['limit=3', 'limit=3&user=default', 'limit=3&tag=t']) {
      let added = 0;
      const contents = await walk(query, async () => {
        added += 1;
        await owner.add(`late ${query} ${added}`, { tags: ['t'] });
        if (added === 1) await owner.erase(erased.id);
      });
      const first = contents.filter((content) => content.startsWith('first'));
      expect(first).toEqual(Array.from({ length: 20 }, (_, index) => `first ${19 - index}`));
      expect(new Set(contents).size).toBe(contents.length);
    }
    [caller] = swap;
  });

  test('returns a changed memory once, in its original position', async () => {
    const owner = await daemon.account();
    const [first] = await owner.addAll([{ content: 'one', tags: ['x'] }, { content: 'two' }]);
    await owner.change(first!.id, { content: 'one again', tags: ['y'] });
    expect(await owner.list()).toEqual(['two', 'one again']);
    expect(await owner.list('?tag=x')).toEqual([]);
    expect(await owner.list('?tag=y')).toEqual(['one again']);
  });

  test.each([
    'limit=0',
    'limit=201',
    'limit=1.5',
    'limit=many',
    'limit=1&limit=2',
    'cursor=',
    'cursor=made-up',
    'after=yesterday',
    'after=2020-01-01',
    'includeSuperseded=maybe',
    'user=',
    'user=a%00b',
    'tag=%0a',
    'sort=asc',
    'tenantId=ten_1',
  ])('refuses "%s"', async (query) => {
    const answer = await caller.call(`/v1/memories?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.body.errors).toMatchObject([{ path: query.split('=')[0] }]);
  });

  test('rejects a cursor that was altered or belongs to another filter, and accepts the original', async () => {
    const { nextCursor } = await pageOf('limit=1&tag=season');
    const cursor = nextCursor!;
    const flipped = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A');
    for (const wrong of [
      `tag=green&cursor=${cursor}`,
      `cursor=${cursor}`,
      `tag=season&user=default&cursor=${cursor}`,
      `tag=season&includeSuperseded=true&cursor=${cursor}`,
      `tag=season&cursor=${flipped}`,
      `tag=season&cursor=${cursor}%20`,
      `tag=season&cursor=${cursor}%3D`,
      `tag=season&cursor=${cursor.slice(0, -1)}`,
    ]) {
      expect((await caller.call(`/v1/memories?${wrong}`)).status, wrong).toBe(400);
    }
    expect((await pageOf(`tag=season&cursor=${cursor}`)).data[0]?.content).toBe('summer');
  });
});
