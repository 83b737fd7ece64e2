import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { variantsOf } from '../../../src/features/search/spelling.ts';

/** Optimal string alignment distance by its definition; words must not contain `y` or `i`, which the stemmer swaps. */
function distanceOf(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [lastA, lastB] = [a.at(-1), b.at(-1)];
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)];
  const ways = [
    distanceOf(restA, restB) + (lastA === lastB ? 0 : 1),
    distanceOf(restA, b) + 1,
    distanceOf(a, restB) + 1,
  ];
  const swapped = a.length > 1 && b.length > 1 && lastA === b.at(-2) && lastB === a.at(-2);
  if (swapped) ways.push(distanceOf(a.slice(0, -2), b.slice(0, -2)) + 1);
  return Math.min(...ways);
}

const letters = (alphabet: string, length: fc.StringConstraints) =>
  fc.string({ ...length, unit: fc.constantFrom(...alphabet) });

/** Words with their stems by FTS5's porter tokenizer. */
const STEMS = [
  ['kayak', 'kayak'],
  ['walking', 'walk'],
  ['house', 'hous'],
  ['conversation', 'convers'],
  ['pottery', 'potteri'],
  ['happiness', 'happi'],
  ['relational', 'relat'],
] as const;

describe('a misspelled word', () => {
  test.each(STEMS)('matches "%s" by its stem "%s" with one letter wrong, missing, doubled or swapped', (word, stem) => {
    const others = ['zebra', 'quince', 'plum'];
    for (let place = 1; place < stem.length; place += 1) {
      const swapped = place + 1 < stem.length;
      const misspelt = [
        `${word.slice(0, place)}q${word.slice(place + 1)}`,
        word.slice(0, place) + word.slice(place + 1),
        word.slice(0, place) + word[place] + word.slice(place),
        ...(swapped ? [word.slice(0, place) + word[place + 1] + word[place] + word.slice(place + 2)] : []),
      ];
      for (const one of misspelt) {
        if (one.length < 4) continue;
        expect(variantsOf(one, [...others, stem]), one).toMatchObject([{ stem }]);
      }
    }
  });

  test('matches nothing below four letters, and no stem below three', () => {
    expect(variantsOf('cst', ['cat', 'cost'])).toEqual([]);
    expect(variantsOf('cats', ['at', 'ca'])).toEqual([]);
    expect(variantsOf('cost', ['cast'])).toMatchObject([{ stem: 'cast' }]);
  });

  test('may have two errors from nine letters on', () => {
    expect(variantsOf('elefants', ['elephant'])).toEqual([]);
    expect(variantsOf('elefantine', ['elephantin'])).toMatchObject([{ stem: 'elephantin' }]);
  });

  test('has at most three variants, nearest first, with a similarity between 0 and 1', () => {
    const word = letters('abc', { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 12 }), (asked, vocabulary) => {
        const variants = variantsOf(asked, vocabulary);
        expect(variants.length).toBeLessThanOrEqual(3);
        for (const { stem, similarity } of variants) {
          expect(vocabulary).toContain(stem);
          expect(similarity > 0 && similarity < 1).toBe(true);
        }
        expect(variantsOf(asked, vocabulary.toReversed())).toEqual(variants);
      }),
    );
  });

  test('means a stem of the whole word rather than of its beginning', () => {
    const vocabulary = ['sat', 'sotra', 'stand', 'strand', 'strandgaten'];
    expect(variantsOf('strandgatn', vocabulary).map(({ stem }) => stem)).toEqual(['strandgaten', 'strand', 'stand']);
    expect(variantsOf('restaraunt', ['rest', 'restaur']).map(({ stem }) => stem)).toEqual(['restaur', 'rest']);
  });

  test('matches exactly the stems within the defined distance', () => {
    const word = letters('abc', { minLength: 4, maxLength: 7 });
    fc.assert(
      fc.property(word, letters('abc', { minLength: 3, maxLength: 7 }), (asked, stem) => {
        const lengths = [stem.length - 1, stem.length, stem.length + 1].filter((length) => length <= asked.length);
        const costs = lengths
          .map((length) => ({ distance: distanceOf(asked.slice(0, length), stem), ending: asked.length - length }))
          .filter(({ distance }) => distance <= 1)
          .map(({ distance, ending }) => distance + 0.2 * ending);
        const similarity = 1 - (Math.min(...costs) + 0.5) / (stem.length + 1);
        expect(variantsOf(asked, [stem])).toEqual(
          similarity > 0.5 ? [{ stem, similarity: expect.closeTo(similarity, 9) }] : [],
        );
      }),
      { numRuns: 500 },
    );
  });
});
