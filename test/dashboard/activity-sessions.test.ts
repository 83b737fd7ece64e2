import { expect, test } from 'vitest';
import type { StoredSearch } from '../../src/client/client.ts';
import type { ActivityEntry } from '../../src/contract/activity.ts';
import { sessionsOf } from '../../src/dashboard/views/activity/sessions.ts';

const entry = (minute: number, route: string, given: Partial<ActivityEntry> = {}): ActivityEntry => ({
  ...{ id: `req_${minute}`, at: new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString(), client: 'Cursor' },
  ...{
    transport: 'mcp',
    method: 'tools/call',
    route,
    status: 200,
    milliseconds: 3,
    ids: [],
    itemCount: null,
    searchId: null,
    author: null,
  },
  ...given,
});
const titleOf = (client: string) => client;

test('requests become sessions of a client, with each question and what was written in a row', () => {
  const search = { id: 'srch_1', query: 'which port?', results: [] } as unknown as StoredSearch;
  const sessions = sessionsOf(
    [
      entry(50, 'memory_add', { ids: ['mem_3'] }),
      entry(49, 'memory_add', { ids: ['mem_3', 'mem_2'] }),
      entry(48, '/v1/memories', { transport: 'rest', method: 'POST', client: 'curl', ids: ['mem_9'] }),
      entry(47, 'memory_context', { searchId: 'srch_1' }),
      entry(46, 'memory_search', { searchId: 'srch_0', ids: ['mem_1'] }),
      entry(5, 'memory_delete', { ids: ['mem_4'] }),
    ],
    [search],
    titleOf,
  );
  expect(sessions.map(({ title, deeds }) => [title, deeds.map(({ kind, ids }) => [kind, ids])])).toEqual([
    [
      'Cursor',
      [
        ['remembered', ['mem_3', 'mem_2']],
        ['asked', []],
        ['asked', ['mem_1']],
      ],
    ],
    ['curl', [['remembered', ['mem_9']]]],
    ['Cursor', [['forgot', ['mem_4']]]],
  ]);
  expect(sessions[0]!.deeds[1]!.search).toBe(search);
  expect([sessions[0]!.startedAt, sessions[0]!.endedAt].map((at) => at.slice(14, 16))).toEqual(['46', '50']);
});

test('what was written in batches is counted as a whole, and trial runs are left out', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `mem_${index}`);
  const rest = { transport: 'rest', method: 'POST' } as const;
  const [session] = sessionsOf(
    [
      entry(4, '/v1/memories/delete', { ...rest, itemCount: 0 }),
      entry(3, '/v1/memories/delete', { ...rest, itemCount: 300 }),
      entry(2, '/v1/memories/batch', { ...rest, ids, itemCount: 25 }),
      entry(1, 'memory_add', { ids: ['mem_99'], itemCount: 1 }),
    ],
    [],
    titleOf,
  );
  expect(session!.deeds.map(({ kind, ids: named, more }) => [kind, named.length + more])).toEqual([
    ['forgot', 300],
    ['remembered', 26],
  ]);
});

test('what failed or only looked something up is left out', () => {
  const entries = [
    entry(3, 'memory_add', { status: 422 }),
    entry(2, 'memory_list'),
    entry(1, 'tools/list', { method: 'tools/list' }),
    entry(0, '/v1/memories', { transport: 'rest', method: 'GET' }),
  ];
  expect(sessionsOf(entries, [], titleOf)).toEqual([]);
});

test('members of a space who use the same client have sessions of their own', () => {
  const sessions = sessionsOf(
    [
      entry(3, 'memory_add', { ids: ['mem_3'], author: 'ada@example.com' }),
      entry(2, 'memory_add', { ids: ['mem_2'], author: 'lin@example.com' }),
      entry(1, 'memory_add', { ids: ['mem_1'], author: 'ada@example.com' }),
    ],
    [],
    titleOf,
  );
  expect(sessions.map(({ author, deeds }) => [author, deeds[0]!.ids])).toEqual([
    ['ada@example.com', ['mem_3', 'mem_1']],
    ['lin@example.com', ['mem_2']],
  ]);
});
