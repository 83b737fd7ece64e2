import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Posting, scoreRows, scoreSurroundings, toPosting, topK } from '../../../src/features/search/lexical.ts';
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
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('lexical scores', () => {
  test('are BM25 over the documents of the user', () => {
    fc.assert(
      fc.property(documents, (all) => {
        const postings = postingsOf(all);
        const { lexical, attainable } = scoreRows(postings, all.size);
        const weights = postings.map((posting) => idf(posting.documents, all.size));
        expect(attainable).toBeCloseTo(sum(weights), 9);
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
    expect(scoreRows([everywhere], 3).lexical.get(1)).toBeGreaterThan(0);
    expect(scoreRows([everywhere], 0).attainable).toBeGreaterThan(0);
  });

  test('of windows and passages follow their definitions', () => {
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 9 }), (all, passages) => {
        const postings = postingsOf(all);
        const { lexical } = scoreRows(postings, all.size);
        const { window, session } = scoreSurroundings(postings, lexical, all.size, passages);
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
            const holding = new Set(posting.rowIds.map(passageOf)).size;
            const inIt = posting.rowIds.filter((number) => passageOf(number) === passage);
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
    .map((entries) => new Map(entries));
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 70 }), (all, count) => {
      const sorted = [...all].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a).map(([number]) => number);
      expect(topK(all, count)).toEqual(sorted.slice(0, count));
    }),
  );
});
