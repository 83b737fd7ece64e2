import { describe, expect, test } from 'vitest';
import type { Memory } from '../../src/contract/memories.ts';
import { bucketRange, bucketsOf } from '../../src/dashboard/plots/buckets.ts';
import { filterOf, isFiltered, listStateOf, orderOf, passes } from '../../src/dashboard/views/memories/list-state.ts';
import { fromLocalField, toLocalField } from '../../src/dashboard/views/memories/local-time.ts';
import { matchLabel } from '../../src/dashboard/views/memories/matched-words.ts';
import {
  changed,
  describeChanges,
  restoring,
  undoGroups,
  undoOf,
  versionAt,
} from '../../src/dashboard/views/memories/memory-changes.ts';
import { rankedTogether, windowOf } from '../../src/dashboard/views/memories/memory-pages.ts';
import { extended, isNothing, NOTHING, toggled } from '../../src/dashboard/views/memories/selection.ts';
import { parseTags } from '../../src/dashboard/views/memories/tag-text.ts';
import { timelineUnit, withHeadings } from '../../src/dashboard/views/memories/timeline.ts';

function memory(fields: Partial<Memory> = {}): Memory {
  const at = '2026-11-20T10:00:00.000Z';
  return {
    id: 'mem_1',
    content: 'Ada prefers oolong tea',
    user: 'ada',
    project: null,
    externalId: null,
    client: null,
    author: null,
    origin: null,
    tags: ['taste'],
    metadata: {},
    source: null,
    occurredAt: null,
    saidAt: null,
    expiresAt: null,
    pinned: false,
    validFrom: at,
    validTo: null,
    supersededBy: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    ...fields,
  };
}

const stateOf = (query: string) => listStateOf(new URLSearchParams(query));

describe('the state of the list in the address', () => {
  test('becomes the filter of the API: days include themselves, and a project stands alone', () => {
    const state = stateOf('user=ada&tag=a&tag=b&tag=a&project=web&after=2026-11-20&before=2026-11-22');
    expect(filterOf(state)).toEqual({
      user: 'ada',
      tags: ['a', 'b'],
      project: 'web',
      projectOnly: true,
      after: '2026-11-19T23:59:59.999Z',
      before: '2026-11-22T00:00:00.000Z',
    });
    expect(orderOf(state)).toEqual({ orderBy: 'createdAt', order: 'desc' });
  });

  test('filters by client, kind of source and expiry, in the results of a search too', () => {
    const state = stateOf('client=codex&sourceKind=message&expires=soon');
    expect(filterOf(state)).toEqual({ client: 'codex', sourceKind: 'message', expires: 'soon' });
    expect(isFiltered(state)).toBe(true);
    const nowMs = Date.parse('2026-11-20T10:00:00.000Z');
    const fitting = { client: 'codex', source: { messageId: 'm' }, expiresAt: '2026-12-01T00:00:00.000Z' };
    const isShown = (fields: Partial<Memory>) => passes(state, memory({ ...fitting, ...fields }), nowMs);
    expect(isShown({})).toBe(true);
    expect(isShown({ client: null })).toBe(false);
    expect(isShown({ source: { conversationId: 'c' } })).toBe(false);
    expect(isShown({ expiresAt: '2027-01-01T00:00:00.000Z' })).toBe(false);
    expect(isShown({ expiresAt: null })).toBe(false);
    expect(passes(stateOf('show=pinned'), memory(), nowMs)).toBe(false);
    const ofSource = (source: Memory['source']) => passes(stateOf('source=conv_1&q=tea'), memory({ source }), nowMs);
    expect([{ conversationId: 'conv_1' }, { conversationId: 'conv_2' }, null].map(ofSource)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('ignores what it does not know', () => {
    const state = stateOf('orderBy=name&order=up&show=none&after=yesterday&asOf=never&layout=grid&tag=');
    expect(filterOf(state)).toEqual({});
    expect(isFiltered(state)).toBe(false);
    expect([state.layout, state.asOfMs]).toEqual(['list', undefined]);
  });

  test('compares the time of changes itself, and shows superseded memories among them', () => {
    expect(filterOf(stateOf('orderBy=updatedAt&after=2026-11-20'))).toEqual({ includeSuperseded: true });
  });

  test('lists what was known at the end of a day from the first memory on', () => {
    const state = stateOf('asOf=2026-11-20&order=desc');
    expect(state.asOfMs).toBe(Date.parse('2026-11-20T23:59:59.999Z'));
    expect(orderOf(state)).toEqual({ orderBy: 'createdAt', order: 'asc' });
  });
});

test('a result says what matched: the same words, related ones, or both', () => {
  const found = (related: { term: string; word: string }[]) => ({
    content: 'The manager likes tea',
    found: { relevance: 1, isLikely: true, why: { rank: 1, defaultRank: 1, signals: {}, related } },
  });
  const boss = [{ term: 'boss', word: 'manager' }];
  expect(matchLabel('lexical', found([]), 'tea')).toBe('shared words');
  expect(matchLabel('lexical', found(boss), 'boss')).toBe('“manager” for “boss”');
  expect(matchLabel('coverage', found(boss), 'what does my boss say')).toBe('“manager” for “boss”');
  expect(matchLabel('lexical', found(boss), 'which tea does my boss like')).toBe('shared and related words');
  expect(matchLabel('vector', found(boss), 'boss')).toBe('similar meaning');
});

describe('a page of the list', () => {
  test('keeps what was valid then, and ends with the first memory that came later', () => {
    const rows = [
      memory({ id: 'valid' }),
      memory({ id: 'ended', validTo: '2026-11-20T11:00:00.000Z' }),
      memory({ id: 'endedLater', validTo: '2026-11-21T11:00:00.000Z' }),
      memory({ id: 'later', createdAt: '2026-11-22T10:00:00.000Z' }),
    ];
    const { rows: kept, isLast } = windowOf(stateOf('asOf=2026-11-20'), rows);
    expect(kept.map(({ id }) => id)).toEqual(['valid', 'endedLater']);
    expect(isLast).toBe(true);
  });

  test('keeps what changed within the bounds, and ends before them', () => {
    const at = (day: number) => memory({ id: String(day), updatedAt: `2026-11-${day}T10:00:00.000Z` });
    const state = stateOf('orderBy=updatedAt&after=2026-11-20&before=2026-11-21');
    expect(windowOf(state, [at(22), at(21)])).toEqual({ rows: [], isLast: false });
    expect(windowOf(state, [at(21), at(20), at(19)])).toEqual({ rows: [at(20)], isLast: true });
  });

  test('ranks the results of several users together, and marks those much weaker than the best', () => {
    const found = (id: string, relevance: number) => ({
      ...memory({ id }),
      type: 'memory' as const,
      score: 1,
      relevance,
    });
    const ranked = rankedTogether([
      { results: [found('a', 0.6), found('b', 0.05)] },
      { results: [found('c', 0.9), found('d', 0.2)] },
    ]);
    expect(ranked.map(({ id, found }) => [id, found?.isLikely])).toEqual([
      ['c', true],
      ['a', true],
      ['d', true],
      ['b', false],
    ]);
  });
});

describe('undoing a change', () => {
  test('sets what was set before, and leaves tags that were there already', () => {
    const before = memory({ tags: ['taste', 'tea'], pinned: true });
    const change = { content: 'New', pinned: true, addTags: ['tea', 'evening'], removeTags: ['taste', 'none'] };
    const undo = undoOf(before, change)!;
    expect(undo).toEqual({ content: 'Ada prefers oolong tea', removeTags: ['evening'], addTags: ['taste'] });
    expect([...changed(changed(before, change), undo).tags].sort()).toEqual(['taste', 'tea']);
    expect(undoOf(before, { pinned: true, addTags: ['tea'] })).toBeUndefined();
  });

  test('groups memories that need the same change', () => {
    const memories = [
      memory({ id: '1', project: 'a' }),
      memory({ id: '2' }),
      memory({ id: '3', project: 'a' }),
      memory({ id: '4', project: 'b' }),
    ];
    expect(undoGroups(memories, { project: 'b' })).toEqual([
      { ids: ['1', '3'], change: { project: 'a' } },
      { ids: ['2'], change: { project: null } },
    ]);
  });

  test('restores every field that differs from an earlier version', () => {
    const now = memory({ content: 'Now', tags: [], metadata: { a: 1 }, version: 2 });
    expect(restoring(now, memory())).toEqual({ content: 'Ada prefers oolong tea', tags: ['taste'], metadata: {} });
    expect(restoring(now, { ...now, version: 1 })).toBeUndefined();
  });
});

describe('versions', () => {
  test('say what else than the text changed', () => {
    const after = memory({ tags: ['evening'], pinned: true, project: 'web', expiresAt: '2027-01-01T00:00:00.000Z' });
    expect(describeChanges(memory(), after)).toEqual([
      'tags +evening −taste',
      'project none → web',
      'pinned',
      'expiry',
    ]);
  });

  test('are found by the time they were valid', () => {
    const second = memory({ version: 2, validFrom: '2026-11-21T00:00:00.000Z' });
    const first = memory({ validTo: second.validFrom });
    const at = (time: string) => versionAt([second, first], Date.parse(time), Date.parse)?.version;
    expect([at('2026-11-20T12:00:00Z'), at('2026-11-21T00:00:00Z'), at('2026-11-19T00:00:00Z')]).toEqual([
      1,
      2,
      undefined,
    ]);
  });
});

describe('a selection', () => {
  const loaded = ['a', 'b', 'c', 'd'];

  test('extends from what was toggled last, in both directions', () => {
    const upwards = extended(toggled(NOTHING, 'c', loaded), 'a', loaded);
    expect(upwards).toEqual({ kind: 'ids', ids: new Set(['c', 'a', 'b']), anchor: 'a' });
    expect(isNothing(extended(NOTHING, 'b', loaded))).toBe(false);
  });

  test('of everything becomes the loaded memories when one is taken out', () => {
    expect(toggled({ kind: 'all' }, 'b', loaded)).toEqual({ kind: 'ids', ids: new Set(['a', 'c', 'd']), anchor: 'b' });
  });
});

describe('the timeline', () => {
  const dated = (...days: number[]) => days.map((day) => memory({ occurredAt: `2026-11-${day}T12:00:00.000Z` }));

  test('groups by day where days are full, else by month', () => {
    expect(timelineUnit(dated(20, 20, 20, 21, 21, 21))).toBe('day');
    expect(timelineUnit(dated(20, 21, 22))).toBe('month');
  });

  test('has one heading for neighbors of a group', () => {
    const rows = withHeadings(
      [memory({ user: 'a' }), memory({ user: 'a' }), memory({ user: 'b' })],
      ({ user }) => user,
      (group) => group.toUpperCase(),
    );
    expect(rows.map((row) => (row.kind === 'heading' ? row.text : ''))).toEqual(['A', '', '', 'B', '']);
  });
});

describe('the buckets of a histogram', () => {
  const from = (day: string) => Date.parse(`${day}T00:00:00Z`);

  test('include the days without any, and merge into at most as many as fit', () => {
    const counts = [
      { day: '2026-02-27', count: 2 },
      { day: '2026-03-02', count: 3 },
    ];
    expect(bucketsOf(counts, 'day', 10).map(({ count }) => count)).toEqual([2, 0, 0, 3]);
    expect(bucketsOf(counts, 'day', 2)).toEqual([
      { fromMs: from('2026-02-27'), toMs: from('2026-03-01'), count: 2 },
      { fromMs: from('2026-03-01'), toMs: from('2026-03-03'), count: 3 },
    ]);
    expect(bucketsOf([], 'day', 10)).toEqual([]);
  });

  test('of months begin with the first day of each', () => {
    const buckets = bucketsOf(
      [
        { day: '2025-12-01', count: 1 },
        { day: '2026-02-01', count: 1 },
      ],
      'month',
      10,
    );
    expect(buckets.map(({ fromMs }) => fromMs)).toEqual(['2025-12-01', '2026-01-01', '2026-02-01'].map(from));
  });

  test('know which of them a time range touches', () => {
    const buckets = bucketsOf(
      [
        { day: '2026-03-01', count: 1 },
        { day: '2026-03-04', count: 1 },
      ],
      'day',
      10,
    );
    expect(bucketRange(buckets, { fromMs: from('2026-03-02'), toMs: from('2026-03-04') })).toEqual([1, 2]);
    expect(bucketRange(buckets, {})).toEqual([0, 3]);
    expect(bucketRange(buckets, { fromMs: from('2026-04-01') })).toBeUndefined();
  });
});

test('a local time survives the field that edits it, to the minute', () => {
  expect(fromLocalField(toLocalField('2026-11-20T10:05:00.000Z'))).toBe('2026-11-20T10:05:00.000Z');
  expect([toLocalField(null), fromLocalField('')]).toEqual(['', null]);
});

test('tags are read from a line with commas', () => {
  expect(parseTags(' tea , taste,,tea')).toEqual(['tea', 'taste']);
});
