import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIGNAL_NAMES, type SignalName } from '../../../src/contract/signals.ts';
import { compareCandidates } from '../../../src/features/search/candidate.ts';
import {
  explainSignals,
  fuse,
  hasPositiveSignal,
  isMatch,
  STRATEGY_WEIGHTS,
  type Weights,
} from '../../../src/features/search/fusion.ts';
import type { Signals } from '../../../src/features/search/signals.ts';
import { candidate, NOW } from './candidate-rules.ts';

const signals = (some: Partial<Signals> = {}): Signals =>
  ({ ...Object.fromEntries(SIGNAL_NAMES.map((name) => [name, 0])), ...some }) as Signals;

const value = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
const anySignals = fc
  .tuple(fc.array(value, { minLength: SIGNAL_NAMES.length, maxLength: SIGNAL_NAMES.length }), fc.constantFrom(-1, 0, 1))
  .map(([values, speaker]) =>
    signals({ ...Object.fromEntries(SIGNAL_NAMES.map((name, at) => [name, values[at]])), speaker }),
  );
const items = fc.array(
  fc
    .tuple(anySignals, fc.constantFrom('memory' as const, 'message' as const), fc.integer({ min: 0, max: 3 }))
    .map(([each, type, at]) => ({
      item: candidate(type, {}, { at: NOW - at }),
      signals: type === 'message' ? each : { ...each, window: each.lexical, session: each.lexical },
    })),
  { maxLength: 15 },
);
const weights = fc.oneof(
  fc.constantFrom<Weights>(...Object.values(STRATEGY_WEIGHTS)),
  anySignals.map((each): Weights => each),
);

describe('fusion', () => {
  test('does not depend on the order of the candidates', () => {
    const shuffled = items.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, weights, ([all, other], weighed) => {
        expect(fuse(other, weighed, compareCandidates)).toEqual(fuse(all, weighed, compareCandidates));
      }),
    );
  });

  test('sorts by score: the sum of the contributions over the attainable maximum, at most 1', () => {
    fc.assert(
      fc.property(items, weights, (all, weighed) => {
        const fused = fuse(all, weighed, compareCandidates);
        const speaking = SIGNAL_NAMES.filter((name) => all.some((one) => one.signals[name] !== 0));
        const meaning = weighed.lexical !== 0 && all.some(({ item }) => item.type === 'memory') ? 4.6 : 1;
        const mostOf = (name: SignalName) => Math.max(0, weighed[name]) * (name === 'vector' ? meaning : 1);
        const most = speaking.reduce((sum, name) => sum + mostOf(name), 0) || 1;
        for (const [index, hit] of fused.entries()) {
          const { score } = hit;
          const shares = Object.values(explainSignals(hit, weighed)).reduce((sum, { share }) => sum + share, 0);
          expect(score).toBeCloseTo(shares / most, 9);
          if (weighed.speaker >= 0) expect(score).toBeLessThanOrEqual(1 + 1e-9);
          expect(fused[index - 1]?.score ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(score);
        }
      }),
    );
  });

  test('gives 1 to an item at the maximum of every signal present', () => {
    const all = { item: candidate('memory'), signals: signals({ lexical: 1, date: 1 }) };
    const part = { item: candidate('memory'), signals: signals({ lexical: 1 }) };
    const scores = fuse([part, all], STRATEGY_WEIGHTS.default, compareCandidates).map(({ score }) => score);
    expect(scores[0]).toBe(1);
    expect(scores[1]).toBeCloseTo(
      STRATEGY_WEIGHTS.default.lexical / (STRATEGY_WEIGHTS.default.lexical + STRATEGY_WEIGHTS.default.date),
    );
  });

  test('counts meaning outside conversations as much as words, and by meaning alone as in them', () => {
    const [means, says] = [signals({ vector: 1 }), signals({ lexical: 1, window: 1, session: 1 })];
    const all = [means, says].map((own) => ({ item: candidate('memory'), signals: own }));
    const [one, other] = fuse(all, STRATEGY_WEIGHTS.default, compareCandidates);
    expect(one!.score).toBeCloseTo(other!.score, 9);
    const both = (['memory', 'message'] as const).map((type) => ({ item: candidate(type), signals: means }));
    const [memory, message] = fuse(both, STRATEGY_WEIGHTS.semantic, compareCandidates);
    expect([memory!.score, message!.score]).toEqual([1, 1]);
    const inBoth = fuse(both, STRATEGY_WEIGHTS.default, compareCandidates);
    expect(inBoth[0]!.score / inBoth[1]!.score).toBeCloseTo(4.6, 9);
  });

  test('breaks ties by recency, then by id', () => {
    const [old, one, two] = [
      candidate('memory', {}, { at: NOW - 1 }),
      candidate('message', {}, { id: 'a' }),
      candidate('memory', {}, { id: 'b' }),
    ];
    const equals = [old, one, two].map((item) => ({ item, signals: signals({ lexical: 1 }) }));
    expect(fuse(equals, STRATEGY_WEIGHTS.lexical, compareCandidates).map(({ item }) => item)).toEqual([two, one, old]);
  });
});

test('words, meaning or an exact date make a match; other signals alone do not', () => {
  for (const name of ['lexical', 'trigram', 'window', 'session', 'vector', 'date'] as const) {
    expect(isMatch({ signals: signals({ [name]: 1 }) }), name).toBe(true);
  }
  for (const some of [{}, { date: 0.99 }, { answerCue: 1, self: 1, recency: 1, reply: 1, context: 1, speaker: 1 }]) {
    expect(isMatch({ signals: signals(some) })).toBe(false);
  }
});

test('a strategy shows items with a positive signal among its own', () => {
  const nearly = signals({ trigram: 1, recency: 1, speaker: -1 });
  expect(hasPositiveSignal(nearly, STRATEGY_WEIGHTS.lexical)).toBe(false);
  expect(hasPositiveSignal(nearly, STRATEGY_WEIGHTS.default)).toBe(true);
  expect(hasPositiveSignal(signals({ lexical: 0.1 }), STRATEGY_WEIGHTS.lexical)).toBe(true);
  expect(hasPositiveSignal(signals({ recency: 1 }), STRATEGY_WEIGHTS.default)).toBe(false);
  expect(hasPositiveSignal(signals({ recency: 1 }), STRATEGY_WEIGHTS.recent)).toBe(true);
});
