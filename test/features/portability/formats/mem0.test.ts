import { describe, expect, test } from 'vitest';
import { fixture, READER_OPTIONS, read, reasonsOf, recordsOf } from '../read-fixture.ts';

const readList = (...memories: object[]) => read('mem0', JSON.stringify(memories));

describe('a Mem0 response', () => {
  test('yields memories with their users, categories, metadata and times', async () => {
    const memories = recordsOf(await read('mem0', await fixture('mem0-memories.json')), 'memory');
    expect(memories).toMatchObject([
      {
        content: 'Is vegetarian and allergic to nuts',
        user: 'alex',
        tags: ['imported', 'health', 'food preferences'],
        metadata: { category: 'food', confidence: 0.9 },
        validFrom: '2024-07-26T17:29:36.630Z',
        createdAt: '2024-07-26T17:29:36.630Z',
        updatedAt: '2024-08-01T07:00:00.000Z',
      },
      {
        content: 'Spricht Deutsch mit der Großmutter 👵',
        user: 'default',
        metadata: { agent_id: 'kitchen-bot', run_id: 'run-7' },
        createdAt: '2024-07-27T08:00:00.000Z',
      },
      { content: 'The library card is good for a while', expiresAt: '2030-02-01T00:00:00.000Z' },
    ]);
    expect(memories[0]?.id).toMatch(/^mem_0190f0174a767/);
  });

  test('leaves out expired and empty memories, and relations', async () => {
    expect(reasonsOf(await read('mem0', await fixture('mem0-memories.json')))).toEqual([
      'results[2]: Expired at 2024-08-02T00:00:00.000Z: left out',
      '!results[4]: “memory” is missing or empty.',
      'relations: 2 relations left out',
    ]);
  });

  test('may be a bare list, without ids and times', async () => {
    const [memory] = recordsOf(await readList({ memory: 'Likes rain' }), 'memory');
    expect(memory).toMatchObject({ content: 'Likes rain', user: 'default', createdAt: '2026-11-20T09:00:00.000Z' });
    const later = await read('mem0', '[{"memory": "Likes rain"}]', {
      ...READER_OPTIONS,
      nowMs: READER_OPTIONS.nowMs + 5,
    });
    expect(recordsOf(later, 'memory')[0]?.id).toBe(memory?.id);
    const [other] = recordsOf(await readList({ memory: 'Likes rain', user_id: 'bo' }), 'memory');
    expect(other?.id).not.toBe(memory?.id);
  });

  test('is reported as incomplete if it is one page of several', async () => {
    const page = (next: string | null) => JSON.stringify({ next, results: [{ memory: 'x' }] });
    expect(reasonsOf(await read('mem0', page('https://api.example.com/?page=2')))).toEqual([
      '!next: The file is one page of several: the memories on later pages are missing.',
    ]);
    expect(reasonsOf(await read('mem0', page(null)))).toEqual([]);
  });

  test('is rejected if its metadata cannot be stored', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { in: nested(depth - 1) });
    const items = await readList(
      { memory: 'a', metadata: { text: 'x'.repeat(16 * 1024) } },
      { memory: 'b', metadata: nested(32) },
      { memory: 'c', metadata: { text: 'x'.repeat(16_000), '__proto__\0': 'a\0' } },
      { memory: 'd', metadata: nested(31) },
      { memory: 'e', user_id: 'x'.repeat(257) },
    );
    expect(reasonsOf(items)).toEqual([
      '![0]: metadata must be at most 16384 bytes as JSON',
      '![1]: The metadata is nested more than 31 levels deep.',
      '![4]: user must have at most 256 characters',
    ]);
    const [c, d] = recordsOf(items, 'memory');
    expect([c?.content, d?.content]).toEqual(['c', 'd']);
    expect(Object.keys(c?.metadata ?? {})).toEqual(['text']);
  });
});
