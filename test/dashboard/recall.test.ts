import { describe, expect, test } from 'vitest';
import type { SearchResult, StoredSearch } from '../../src/client/client.ts';
import { distinctSearches } from '../../src/dashboard/earlier-searches.ts';
import { outcomeOf } from '../../src/dashboard/parts/outcome.ts';
import { changedSince } from '../../src/dashboard/views/recall/changed-since.ts';
import { contextLines } from '../../src/dashboard/views/recall/context-lines.ts';
import { exampleQueries } from '../../src/dashboard/views/recall/example-queries.ts';
import { defaultPlaces, movementOf, rankLines } from '../../src/dashboard/views/recall/rank-movement.ts';
import {
  askedBy,
  isPlain,
  readRecallQuery,
  toContextRequest,
  toSearchRequest,
} from '../../src/dashboard/views/recall/recall-query.ts';
import { restatementsOf } from '../../src/dashboard/views/recall/restatements.ts';
import { barRange, contributingSignals, mainPart, signalParts } from '../../src/dashboard/views/recall/signal-parts.ts';
import { stagesOf } from '../../src/dashboard/views/recall/stages.ts';
import { weightChanges } from '../../src/dashboard/views/recall/weight-changes.ts';

type Signals = Record<string, { value: number; weight: number; share: number }>;

function resultAt(rank: number, defaultRank: number, signals: Signals = {}): SearchResult {
  return { id: `mem_${rank}`, why: { rank, defaultRank, signals } } as unknown as SearchResult;
}

describe('the address', () => {
  test('holds everything that a search asks for', () => {
    const asked = readRecallQuery(
      new URLSearchParams(
        'q=tea&types=memory&types=episode&strategy=recent&limit=20&minRelevance=0.3&asOf=2026-05-01&project=web&tokens=300',
      ),
    );
    expect(toSearchRequest(asked, 'ada')).toEqual({
      query: 'tea',
      user: 'ada',
      types: ['memory', 'episode'],
      strategy: 'recent',
      limit: 20,
      minRelevance: 0.3,
      asOf: '2026-05-01T23:59:59.999Z',
      project: 'web',
      explain: true,
    });
    expect(toContextRequest(asked, 'ada')).toEqual({
      query: 'tea',
      user: 'ada',
      types: ['memory', 'episode'],
      minRelevance: 0.3,
      project: 'web',
      maxTokens: 300,
    });
  });

  test('gets defaults for what is missing or out of range', () => {
    const asked = readRecallQuery(
      new URLSearchParams('q=%20tea%20&types=song&strategy=best&limit=0&minRelevance=7&tokens=x'),
    );
    expect(toSearchRequest(asked, undefined)).toEqual({ query: 'tea', limit: 10, explain: true });
    expect(toContextRequest(asked, undefined)).toEqual({ query: 'tea', maxTokens: 1000 });
  });
});

describe('the stages', () => {
  test('are in the order in which they ran, with their shares of the time', () => {
    const ran = { rankMs: 1, resultsMs: 0.5, candidatesMs: 5, signalsMs: 1, waitMs: 0, queryMs: 0.5 };
    expect(stagesOf({ ...ran, totalMs: 8 }).map(({ label, share }) => [label, share])).toEqual([
      ['query', 0.0625],
      ['waiting', 0],
      ['candidates', 0.625],
      ['signals', 0.125],
      ['ranking', 0.125],
      ['results', 0.0625],
    ]);
  });
});

describe('the order beside the default one', () => {
  const results = [resultAt(1, 3), resultAt(2, 1), resultAt(3, 9)];

  test('says how many places each result moved', () => {
    expect(results.map(movementOf)).toEqual([2, -1, 6]);
    expect(movementOf({ id: 'mem_1' } as SearchResult)).toBe(0);
  });

  test('leaves places open whose results are not shown', () => {
    const places = defaultPlaces(results).map(({ rank, result }) => [rank, result?.id]);
    expect(places).toEqual([
      [1, 'mem_2'],
      [2, undefined],
      [3, 'mem_1'],
    ]);
  });

  test('fills them from a search by the default weights', () => {
    const other = { ...resultAt(2, 2), id: 'mem_other' };
    expect(defaultPlaces(results, [other]).map(({ result, isShown }) => [result?.id, isShown])).toEqual([
      ['mem_2', true],
      ['mem_other', false],
      ['mem_1', true],
    ]);
  });

  test('draws a line to each default place that is on the page', () => {
    const lines = rankLines(results, [10, 50, 90]).map(({ fromY, toY }) => [fromY, toY]);
    expect(lines).toEqual([
      [10, 90],
      [50, 10],
      [90, undefined],
    ]);
  });
});

describe('the signals of a result', () => {
  const mixed = resultAt(1, 1, {
    recency: { value: 1, weight: -0.5, share: -0.5 },
    lexical: { value: 1, weight: 3, share: 3 },
    self: { value: 0.5, weight: 2, share: 1 },
    vector: { value: 0, weight: 1.25, share: 0 },
  });

  test('are those that contribute, in the order of the legend', () => {
    expect(signalParts(mixed).map(({ name, points }) => [name, points])).toEqual([
      ['lexical', 3],
      ['recency', -0.5],
      ['self', 1],
    ]);
    const unknown = resultAt(2, 2, { smell: { value: 1, weight: 1, share: 1 } });
    expect(contributingSignals([unknown, mixed])).toEqual(['lexical', 'recency', 'self', 'smell']);
  });

  test('share one scale, with what takes away below 0', () => {
    expect(barRange([mixed, resultAt(2, 2, { lexical: { value: 1, weight: 2, share: 2 } })])).toEqual({
      least: -0.5,
      most: 4,
    });
  });

  test('name the one that adds most', () => {
    expect(mainPart(signalParts(mixed))).toEqual({ name: 'lexical', share: 0.75 });
    expect(mainPart([])).toBeUndefined();
  });
});

test('outdated results name the newer one, which names the places of all that it updates', () => {
  const statements = [
    { id: 'newest' },
    { id: 'older', restatedBy: 'newest' },
    { id: 'other' },
    { id: 'oldest', possiblySupersededBy: 'newest' },
    { id: 'gone', restatedBy: 'not shown' },
  ] as SearchResult[];
  const found = restatementsOf(statements);
  expect(found.get('newest')).toEqual({ olderPlaces: [2, 4] });
  expect(found.get('older')).toEqual({
    newer: { result: statements[0], place: 1, isSuggested: false },
    olderPlaces: [],
  });
  expect(found.get('oldest')?.newer?.isSuggested).toBe(true);
  expect([...found.keys()].sort()).toEqual(['newest', 'older', 'oldest']);
});

test('options are plain until one is chosen', () => {
  const isPlainOf = (text: string) => isPlain(readRecallQuery(new URLSearchParams(text)));
  expect(['q=tea', 'q=tea&limit=10', 'q=tea&limit=20', 'q=tea&asOf=2026-05-01'].map(isPlainOf)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a context block is split at its citations, not at stored text that looks like one', () => {
  const text = 'What is remembered:\n[1] (2026-01-02) first\nline two\n[2] not a citation\n[2] (2026-01-03) second';
  const citations = [{ marker: '[1]' }, { marker: '[2]' }] as Parameters<typeof contextLines>[0]['citations'];
  const lines = contextLines({ text, citations });
  expect(lines.map(({ marker }) => marker)).toEqual([undefined, '[1]', '[2]']);
  expect(lines.map(({ marker = '', text: line }) => marker + line).join('\n')).toBe(text);
});

test('feedback shows the weights that it moved visibly, largest first', () => {
  const stateOf = (weights: Record<string, number>) =>
    ({
      signals: Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, { weight }])),
    }) as unknown as Parameters<typeof weightChanges>[0];
  const before = stateOf({ lexical: 2, recency: 0, vector: 1.25 });
  const after = stateOf({ lexical: 1.98, recency: 0.3, vector: 1.251 });
  expect(weightChanges(before, after).map(({ signal }) => signal)).toEqual(['recency', 'lexical']);
});

test('examples are short, and not of one pattern', () => {
  const contents = [
    'Ada likes tea (note 1)',
    'Ada likes bread',
    'The staging database runs PostgreSQL 15; production 16',
  ];
  expect(exampleQueries(contents)).toEqual(['Ada likes tea', 'The staging database runs PostgreSQL 15']);
  expect(exampleQueries([])).toEqual([]);
});

describe('earlier searches', () => {
  const searchOf = (query: string | null, user = 'ada'): StoredSearch =>
    ({ query, user, types: ['memory'], project: 'web', results: [] }) as unknown as StoredSearch;

  test('are listed once, without what was sent while typing and what has no text', () => {
    const searches = [
      searchOf('garden fence'),
      searchOf('garden'),
      searchOf('Garden fence'),
      searchOf('gard', 'grace'),
    ];
    const listed = distinctSearches([...searches, searchOf(null), searchOf('fence')]);
    expect(listed.map(({ query, user }) => `${query} ${user}`)).toEqual([
      'garden fence ada',
      'gard grace',
      'fence ada',
    ]);
  });

  test('are asked again as they were', () => {
    const [search] = distinctSearches([searchOf('tea')]);
    const asked = askedBy(search!, readRecallQuery(new URLSearchParams('searchId=srch_1&strategy=default')));
    expect(toSearchRequest(asked, 'ada')).toEqual({
      query: 'tea',
      user: 'ada',
      types: ['memory'],
      project: 'web',
      strategy: 'default',
      limit: 10,
      explain: true,
    });
  });

  test('say which memories changed since, and when', () => {
    const of = (type: string, updatedAt?: string) => ({ type, updatedAt }) as unknown as SearchResult;
    const at = '2026-11-20T10:00:00.000Z';
    const later = '2026-11-20T10:00:00.001Z';
    expect(changedSince(of('memory', later), at)).toBe(later);
    expect(changedSince(of('memory', at), at)).toBeUndefined();
    expect(changedSince(of('message'), at)).toBeUndefined();
  });

  test('say which results helped', () => {
    const results = [
      { rank: 1, used: false, irrelevant: true },
      { rank: 2, used: true, irrelevant: false },
      { rank: 3, used: true, irrelevant: false },
    ] as StoredSearch['results'];
    expect(outcomeOf({ results })).toEqual({ shown: 3, used: 2, irrelevant: 1, firstUsed: 2 });
  });
});
