import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  attainableScore,
  type Posting,
  scoreRows,
  scoreSurroundings,
  toPosting,
} from '../../../src/features/search/lexical.ts';
import { around, eachShared, type Scores, topK } from '../../../src/features/search/scores.ts';
import { PASSAGE_MESSAGES, passageOf } from '../../../src/features/text/passages.ts';

const K1 = 1.2;
const B = 0.75;

/** Documents as term frequencies of three terms, with gaps between row ids. */
const documents = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.array(fc.nat(3), { minLength: 3, maxLength: 3 })), {
    minLength: 1,
    maxLength: 40,
    selector: ([number]) => number,
  })
  .map((entries) => new Map(entries));
type Documents = ReadonlyMap<number, number[]>;

const lengthOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

function postingsOf(all: Documents): Posting[] {
  const average = [...all.values()].reduce((sum, counts) => sum + lengthOf(counts), 0) / all.size || 1;
  return [0, 1, 2].map((word) => {
    const holding = [...all].filter(([, counts]) => counts[word]! > 0);
    const found = {
      numbers: holding.map(([number]) => number),
      frequencies: holding.map(([, counts]) => counts[word]!),
      lengths: holding.map(([, counts]) => lengthOf(counts)),
    };
    return toPosting(found, average);
  });
}

/** BM25's term-frequency factor, as in the literature. */
function saturationIn(all: Documents, word: number, number: number): number {
  const average = sum([...all.values()].map(lengthOf)) / all.size || 1;
  const counts = all.get(number)!;
  const frequency = counts[word]!;
  return (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * lengthOf(counts)) / average));
}

const idf = (holding: number, all: number) => Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
const frequencyIn = ({ rowIds, frequencies }: Posting, rowId: number) => frequencies[rowIds.indexOf(rowId)] ?? 0;
const toMap = ({ keys, values }: Scores) => new Map(Array.from(keys, (key, at) => [key, values[at]!]));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('lexical scores', () => {
  test('are BM25 over the documents of the user', () => {
    fc.assert(
      fc.property(documents, (all) => {
        const postings = postingsOf(all);
        const lexical = toMap(scoreRows(postings, all.size));
        const weights = postings.map((posting) => idf(posting.documents, all.size));
        expect(attainableScore(postings, all.size)).toBeCloseTo(sum(weights), 9);
        for (const number of all.keys()) {
          const expected = sum(
            weights.map((weight, word) => (weight === 0 ? 0 : weight * saturationIn(all, word, number))),
          );
          expect(lexical.get(number) ?? 0).toBeCloseTo(expected, 9);
          expect(lexical.has(number)).toBe(expected > 0);
        }
      }),
    );
  });

  test('are never negative, even if a term occurs in more rows than were counted', () => {
    const everywhere = { documents: 9, rowIds: [1], frequencies: [1], similarity: 1 };
    expect(toMap(scoreRows([everywhere], 3)).get(1)).toBeGreaterThan(0);
    expect(attainableScore([everywhere], 0)).toBeGreaterThan(0);
  });

  test('of windows and passages follow their definitions', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 9 }), (all, passages) => {
        const postings = postingsOf(all);
        const scores = scoreRows(postings, all.size);
        const surroundings = scoreSurroundings(postings, scores, all.size, passages);
        const [lexical, window, session] = [scores, surroundings.window, surroundings.session].map(toMap) as [
          ...[Map<number, number>, Map<number, number>, Map<number, number>],
        ];
        for (const [number, score] of window) {
          const words = postings.map((posting) => {
            const frequency = sum(
              [-2, -1, 0, 1, 2].map((step) => frequencyIn(posting, number + step) * (1 - 0.2 * Math.abs(step))),
            );
            return (idf(posting.documents, all.size) * frequency) / (frequency + 2);
          });
          expect(score).toBeCloseTo(sum(words), 9);
        }
        const near = new Set([...lexical.keys()].flatMap((number) => [-2, -1, 0, 1, 2].map((step) => number + step)));
        expect(new Set(window.keys())).toEqual(near);
        const passagesFound = new Set([...lexical.keys()].map(passageOf));
        expect(new Set(session.keys())).toEqual(passagesFound);
        for (const passage of passagesFound) {
          const words = postings.map((posting) => {
            const holding = new Set(Array.from(posting.rowIds, passageOf)).size;
            const inIt = [...posting.rowIds].filter((number) => passageOf(number) === passage);
            const frequency = sum(inIt.map((number) => frequencyIn(posting, number)));
            return (idf(holding, Math.max(holding, passages)) * frequency) / (frequency + 3);
          });
          expect(session.get(passage)).toBeCloseTo(sum(words), 9);
        }
      }),
    );
  });

  test('a passage is a fixed number of message positions', () => {
    expect([0, PASSAGE_MESSAGES - 1, PASSAGE_MESSAGES].map(passageOf)).toEqual([0, 0, 1]);
  });
});

test('topK returns the highest scores in order, ties to the newest', () => {
  const scores = fc
    .array(fc.tuple(fc.nat(60), fc.oneof(fc.nat(4), fc.double({ min: 0, max: 9, noNaN: true }))), { maxLength: 60 })
    .map((entries) => [...new Map(entries)].sort(([a], [b]) => a - b));
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 70 }), (all, count) => {
      const sorted = all.toSorted(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a).map(([number]) => number);
      const [keys, values] = [all.map(([key]) => key), all.map(([, value]) => value)];
      expect(topK({ keys, values }, count)).toEqual(sorted.slice(0, count));
    }),
  );
});

const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 99 })).map((all) => all.toSorted((a, b) => a - b));

test('eachShared finds the numbers that two lists share', () => {
  fc.assert(
    fc.property(numbers, numbers, (one, other) => {
      const shared: number[] = [];
      eachShared(one, Float64Array.from(other), (at, place) => {
        expect(one[at]).toBe(other[place]);
        shared.push(one[at]!);
      });
      expect(shared).toEqual(one.filter((number) => other.includes(number)));
    }),
  );
});

test('around lists the neighbors of numbers in order, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(99)), fc.nat(4), (all, reach) => {
      const expected = Array.from({ length: 109 }, (_, at) => at - 5).filter((near) =>
        all.some((number) => Math.abs(number - near) <= reach),
      );
      expect([...around(all, reach)]).toEqual(expected);
    }),
  );
});
