import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareCandidates } from '../../../src/features/search/candidate.ts';
import type { Coverage } from '../../../src/features/search/coverage.ts';
import { coverageOf, weightOf } from '../../../src/features/search/coverage.ts';
import { fuse, STRATEGY_WEIGHTS } from '../../../src/features/search/fusion.ts';
import { rate } from '../../../src/features/search/relevance.ts';
import { signalsOf } from '../../../src/features/search/signals.ts';
import { anyCandidate, candidate, NOW, parsedQuery } from './candidate-rules.ts';

const rank = (candidates: Parameters<typeof signalsOf>[0]) => {
  const signals = signalsOf(candidates, parsedQuery(), new Set(), NOW);
  const items = candidates.map((item, index) => ({ item, signals: signals[index]! }));
  return fuse(items, STRATEGY_WEIGHTS.default, compareCandidates);
};
const covering = (type: 'memory' | 'message', coverage: Coverage) => ({ ...candidate(type, { lexical: 1 }), coverage });
const FEW = 20;
const NOTHING = { own: 0, near: 0, rare: 0, information: 0, way: 0 };

describe('relevance and confidence', () => {
  test('are probabilities, and confidence is at least the relevance of the best', () => {
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 30 }), fc.boolean(), (candidates, hasWordings) => {
        const query = hasWordings ? { ways: [] } : {};
        const { relevances, confidence } = rate(rank(candidates), FEW, query);
        for (const relevance of [...relevances.values(), confidence]) {
          expect(relevance).toBeGreaterThanOrEqual(0);
          expect(relevance).toBeLessThanOrEqual(1);
        }
        const first = [...relevances.values()].slice(0, 10);
        expect(confidence).toBeGreaterThanOrEqual(Math.max(0, ...first));
        expect(relevances.size).toBe(candidates.length);
      }),
    );
  });

  test('grow with what the text covers of the query', () => {
    for (const type of ['memory', 'message'] as const) {
      for (const name of ['own', 'information'] as const) {
        const of = (value: number) =>
          [...rate(rank([covering(type, { ...NOTHING, [name]: value })]), FEW).relevances.values()][0]!;
        expect(of(1), `${type} ${name}`).toBeGreaterThan(of(0.5));
        expect(of(0.5), `${type} ${name}`).toBeGreaterThan(of(0));
      }
    }
  });

  test('of a memory do not vanish behind ten messages', () => {
    const messages = Array.from({ length: 12 }, () => covering('message', { ...NOTHING, own: 1, information: 1 }));
    const memory = { ...candidate('memory', { lexical: 0.2 }), coverage: { ...NOTHING, own: 1, information: 1 } };
    const ranked = rank([...messages, memory]);
    expect(ranked.findIndex(({ item }) => item === memory)).toBeGreaterThan(9);
    expect(rate(ranked, FEW).relevances.get(memory)).toBeGreaterThan(0);
  });

  test('of memories are higher the more of the query one holds, and lower the more memories there are', () => {
    const half = { ...NOTHING, own: 0.5, information: 1 };
    const confidenceOf = (coverage: Coverage, memories: number) =>
      rate(rank([covering('memory', coverage)]), memories).confidence;
    const ofMessage = (memories: number) => rate(rank([covering('message', half)]), memories).confidence;
    expect(confidenceOf({ ...half, own: 1 }, FEW)).toBeGreaterThan(confidenceOf(half, FEW));
    expect(confidenceOf(half, 1500)).toBeLessThan(confidenceOf(half, FEW));
    expect(confidenceOf(half, 1e6)).toBe(confidenceOf(half, 1e5));
    expect(ofMessage(1500)).toBe(ofMessage(FEW));
  });

  test('of memories that hold much of a long query do not suffer from the rest of it', () => {
    const confidenceOf = (own: number) =>
      rate(rank([covering('memory', { ...NOTHING, own, information: 3 })]), FEW).confidence;
    expect(confidenceOf(0.1)).toBeGreaterThan(0.5);
  });

  test('of other wordings grow with the wording that a memory holds most of, and with what it holds before the next', () => {
    const confidenceOf = (...covered: Partial<Coverage>[]) => {
      const memories = covered.map((coverage) => covering('memory', { ...NOTHING, ...coverage }));
      return rate(rank(memories), FEW, { ways: [['home'], ['house']] }).confidence;
    };
    const whole = { way: 1, information: 2 };
    expect(confidenceOf(whole)).toBeGreaterThan(confidenceOf({ ...whole, way: 0.5 }));
    expect(confidenceOf(whole)).toBeGreaterThan(confidenceOf({ ...whole, information: 1 }));
    expect(confidenceOf(whole, { way: 0.5, information: 1 })).toBeLessThan(confidenceOf(whole));
    expect(confidenceOf(whole, whole)).toBeLessThan(confidenceOf(whole, { way: 0.5, information: 1 }));
  });

  test('are low where nothing but the ranking speaks for a result, and 0 without results', () => {
    const [only] = rate(rank([covering('memory', NOTHING)]), FEW).relevances.values();
    expect(only).toBeLessThan(0.01);
    expect(rate([], FEW).confidence).toBe(0);
  });
});

describe('coverage', () => {
  const posting = (rowIds: number[], similarity = 1) => ({
    documents: rowIds.length,
    rowIds,
    frequencies: rowIds.map(() => 1),
    similarity,
  });
  const terms = [
    { term: 'oolong', weight: 0.75, postings: [posting([1, 5])] },
    { term: 'tea', weight: 0.25, postings: [posting([3])] },
  ];

  test('is the weighted share of terms in the row, and in it with its neighbors', () => {
    const coverage = coverageOf(terms, [1, 2, 9], 2);
    expect(coverage(1)).toMatchObject({ own: 0.75, near: 1, information: 0.75 });
    expect(coverage(2)).toMatchObject({ own: 0, near: 1, information: 0 });
    expect(coverage(9)).toMatchObject({ own: 0, near: 0, information: 0 });
    expect(coverageOf(terms, [1], 0)(1)).toMatchObject({ own: 0.75, near: 0.75, rare: 0.9, information: 0.75 });
    expect(coverageOf([], [1], 2)(1)).toEqual(NOTHING);
  });

  test('says how much of the best way of asking a row holds, of a light one in part', () => {
    const ways = [['oolong', 'tea'], ['tea', 'absent'], ['oolong']];
    const coverage = coverageOf(terms, [1, 3, 9], 0, ways);
    expect([1, 3, 9].map((rowId) => coverage(rowId).way)).toEqual([0.75, 0.25, 0]);
    const heavy = terms.map((term) => ({ ...term, weight: 4 * term.weight }));
    expect(coverageOf(heavy, [1], 0, ways)(1).way).toBe(1);
    expect(coverageOf(terms, [1], 0)(1).way).toBe(0);
  });

  test('counts a word spelled like the term in part, and the term itself over it', () => {
    const spelled = [{ term: 'oolnog', weight: 1, postings: [posting([1, 2], 0.8), posting([2])] }];
    const coverage = coverageOf(spelled, [1, 2], 0);
    expect(coverage(1).own).toBeGreaterThan(0);
    expect(coverage(1).own).toBeLessThan(0.8);
    expect(coverage(2).own).toBe(1);
  });

  test('weighs rare words over frequent ones, common words half, and no word negatively', () => {
    expect(weightOf('oolong', 1, 1000)).toBeGreaterThan(weightOf('oolong', 100, 1000));
    expect(weightOf('running', 1, 1000)).toBeCloseTo(weightOf('oolong', 1, 1000) / 2, 9);
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (frequency, documents) => {
        expect(weightOf('oolong', frequency, documents)).toBeGreaterThan(0);
      }),
    );
  });

  test('treats a word as rare even if each of a user’s few memories has it', () => {
    expect(weightOf('oolong', 2, 2)).toBeGreaterThan(0.75 * weightOf('oolong', 1, 100));
  });
});
