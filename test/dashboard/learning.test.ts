import { describe, expect, test } from 'vitest';
import type { LearningDay, Retrieval } from '../../src/client/client.ts';
import { stackOf } from '../../src/dashboard/plots/stack.ts';
import { boundsOf, meanOver, placeOf, weeklyCurve } from '../../src/dashboard/views/learning/learning-curve.ts';
import { describeLearning } from '../../src/dashboard/views/learning/learning-words.ts';
import { mixtureByDay } from '../../src/dashboard/views/learning/mixture-history.ts';
import { rangeOf, shiftMatrix, shiftsOf } from '../../src/dashboard/views/learning/shifts.ts';
import { describeTrust, learnedShare, trustOf } from '../../src/dashboard/views/learning/trust.ts';

const dayOf = (day: string, feedbacks: number, shown: number, byDefault: number): LearningDay => ({
  day,
  feedbacks,
  meanReciprocalRank: { shown, default: byDefault },
});

describe('the curve', () => {
  test('counts each feedback the same, not each day', () => {
    const mean = meanOver([dayOf('2026-11-01', 1, 1, 0.5), dayOf('2026-11-02', 3, 0.5, 0.5)]);
    expect(mean).toEqual({ feedbacks: 4, shown: 0.625, byDefault: 0.5 });
    expect(meanOver([])).toBeUndefined();
  });

  test('sums up the week to each day, and has no point where the week had no feedback', () => {
    const days = Array.from({ length: 10 }, (_, index) => `2026-11-${String(index + 1).padStart(2, '0')}`);
    const curve = weeklyCurve(days, [dayOf('2026-11-02', 2, 1, 0.5)]);
    expect(curve.map((point) => point?.feedbacks)).toEqual([undefined, ...Array(7).fill(2), undefined, undefined]);
  });

  test('has a band that narrows with feedback and stays between 0 and 1', () => {
    const [low, high] = boundsOf(0.5, 100);
    expect([low, high]).toEqual([expect.closeTo(0.402, 3), expect.closeTo(0.598, 3)]);
    expect(boundsOf(0.9, 1)).toEqual([expect.closeTo(0.312, 3), 1]);
  });

  test('names places: a mean reciprocal rank of one half is place 2', () => {
    expect(placeOf(0.5)).toBe(2);
  });
});

const RETRIEVAL: Retrieval = {
  user: 'ada',
  events: 12,
  updatedAt: null,
  usesWords: true,
  infersUses: true,
  mixture: { chance: 0.1, default: 0.3, careful: 0.3, medium: 0.2, bold: 0.1 },
  signals: {
    lexical: { delta: -0.1, defaultWeight: 2, weight: 1.6 },
    recency: { delta: 0.4, defaultWeight: 0, weight: 1.2 },
    date: { delta: 0, defaultWeight: 5, weight: 5.001 },
  },
  buckets: { date: [], short: [{ signal: 'recency', delta: 0.4 }], other: [{ signal: 'lexical', delta: -0.1 }] },
};

describe('the weights', () => {
  test('are listed by the size of their change, without those that did not move', () => {
    expect(shiftsOf(RETRIEVAL).map(({ signal }) => signal)).toEqual(['recency', 'lexical']);
    expect(rangeOf(shiftsOf(RETRIEVAL))).toBe(1.2);
  });

  test('that moved a little look as if they moved a little', () => {
    expect(rangeOf([{ signal: 'date', defaultWeight: 5, weight: 5.02, change: 0.02 }])).toBe(0.25);
  });

  test('make a matrix of signals and kinds of questions', () => {
    const { buckets, rows } = shiftMatrix(RETRIEVAL);
    expect(buckets).toEqual(['date', 'short', 'other']);
    expect(rows).toEqual([
      { signal: 'lexical', cells: [undefined, undefined, { delta: -0.1, level: -1 }] },
      { signal: 'recency', cells: [undefined, { delta: 0.4, level: 4 }, undefined] },
    ]);
    expect(shiftMatrix({ ...RETRIEVAL, buckets: { date: [] } }).rows).toEqual([]);
  });
});

describe('the week in words', () => {
  const since = '2026-11-19';

  test('says which way learning moved the useful result, and what counts more or less', () => {
    const better = [dayOf('2026-11-20', 3, 1, 0.5), dayOf('2026-11-01', 9, 0.2, 1)];
    expect(describeLearning(better, since, RETRIEVAL)).toEqual([
      '3 searches told which result helped.',
      'Learning moved the useful result up: typically to place 1.0, from 2.0 in the default order.',
      expect.stringMatching(/^Compared with the start, the order counts “.+” more and “.+” less\.$/),
    ]);
    const [, worse] = describeLearning([dayOf('2026-11-20', 1, 0.5, 1)], since, RETRIEVAL);
    expect(worse).toMatch(/^Learning moved the useful result down/);
    const [, same] = describeLearning([dayOf('2026-11-20', 1, 1, 1)], since, RETRIEVAL);
    expect(same).toMatch(/^Learning made no difference/);
  });

  test('says so without feedback this week, with what was before', () => {
    const unmoved = { ...RETRIEVAL, signals: {} };
    expect(describeLearning([], since, unmoved)).toEqual(['No search told this week which result helped.']);
    const [, before] = describeLearning([dayOf('2026-11-01', 9, 1, 0.5)], since, unmoved);
    expect(before).toMatch(/^Before: Learning moved the useful result up/);
  });
});

describe('the mixture', () => {
  test('shows what was learned first, and what only a newer daemon knows last', () => {
    const trusts = trustOf({ mixture: { oracle: 0.5, chance: 0.2, careful: 0.3 } });
    expect(trusts.map(({ expert }) => expert)).toEqual(['careful', 'chance', 'oracle']);
    expect(learnedShare(RETRIEVAL)).toBeCloseTo(0.6);
  });

  test('is put into words', () => {
    expect(describeTrust(RETRIEVAL)).toMatch(/^Mostly what was learned/);
    expect(describeTrust({ ...RETRIEVAL, events: 0 })).toMatch(/^No feedback yet/);
    expect(describeTrust({ events: 9, mixture: { chance: 0.9, default: 0.1 } })).toMatch(/no pattern/);
    expect(describeTrust({ events: 9, mixture: { default: 0.9, careful: 0.1 } })).toMatch(/^Mostly the default order/);
  });

  test('holds from a day with feedback until the next one', () => {
    const history = [
      { day: '2026-10-01', mixture: { default: 0.8, careful: 0.2 } },
      { day: '2026-11-03', mixture: { default: 0.5, careful: 0.5 } },
    ];
    const days = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04'];
    expect(mixtureByDay(history, days)).toMatchObject({
      days,
      experts: [
        { expert: 'careful', shares: [0.2, 0.2, 0.5, 0.5] },
        { expert: 'default', shares: [0.8, 0.8, 0.5, 0.5] },
      ],
    });
    expect(mixtureByDay(history.slice(1), days).days).toEqual(['2026-11-03', '2026-11-04']);
    expect(mixtureByDay([], days)).toEqual({ days: [], experts: [] });
  });

  test('is drawn as areas on top of each other', () => {
    expect(
      stackOf([
        [0.25, 0.5],
        [0.75, 0.5],
      ]),
    ).toEqual([
      [
        [0, 0.25],
        [0, 0.5],
      ],
      [
        [0.25, 1],
        [0.5, 1],
      ],
    ]);
    expect(stackOf([])).toEqual([]);
  });
});
