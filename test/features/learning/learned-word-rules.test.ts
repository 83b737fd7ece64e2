import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type LearnedWord,
  learnWords,
  MAX_WORDS_PER_ITEM,
  matchWords,
  strengthAt,
  type WordLesson,
} from '../../../src/features/learning/learned-words.ts';

const NOW_MS = Date.UTC(2026, 10, 25);
const HALF_YEAR_MS = 180 * 86_400_000;

const lesson = (more: Partial<WordLesson>): WordLesson => ({
  ...{ words: ['typeface'], used: [], passedOver: [], irrelevant: [], kind: 'explicit' },
  ...more,
});

/** The words after lessons, each of the time that it was given. */
function wordsAfter(lessons: readonly WordLesson[], atMs = NOW_MS): LearnedWord[] {
  const words = new Map<string, LearnedWord>();
  for (const one of lessons) {
    const { stored, forgotten } = learnWords([...words.values()], one, atMs);
    for (const word of forgotten) words.delete(`${word.root} ${word.itemId}`);
    for (const word of stored) words.set(`${word.root} ${word.itemId}`, word);
  }
  return [...words.values()];
}

const surest = (words: readonly LearnedWord[], atMs = NOW_MS) =>
  matchWords(words, atMs).toSorted((a, b) => b.certainty - a.certainty)[0]!;

describe('words', () => {
  test('lead to what was used, more surely each time, and never quite surely', () => {
    const certainties = [1, 2, 3, 10].map((times) => {
      const [match] = matchWords(wordsAfter(Array(times).fill(lesson({ used: ['mem_a'] }))), NOW_MS);
      return match!.certainty;
    });
    expect(certainties).toEqual([1 / 2, 2 / 3, 3 / 4, 3 / 4]);
  });

  test('fade by half in half a year, and where something else was used', () => {
    const [word] = wordsAfter([lesson({ used: ['mem_a'] })]);
    expect(strengthAt(word!, NOW_MS + HALF_YEAR_MS)).toBeCloseTo(0.5);
    expect(strengthAt(word!, NOW_MS - 1)).toBe(1);
    const passed = wordsAfter([lesson({ used: ['mem_a'] }), lesson({ used: ['mem_b'], passedOver: ['mem_a'] })]);
    expect(passed.find(({ itemId }) => itemId === 'mem_a')!.strength).toBe(0.5);
  });

  test('that lead to several items are less sure of each', () => {
    const words = wordsAfter([lesson({ used: ['mem_a'] }), lesson({ used: ['mem_b'] })]);
    expect(matchWords(words, NOW_MS).map(({ certainty }) => certainty)).toEqual([0.25, 0.25]);
  });

  test.each([10, 1000])('that were learned wrongly %d times are undone by two right uses', (times) => {
    const wrong = Array(times).fill(lesson({ used: ['mem_wrong'] }));
    const right = Array(2).fill(lesson({ used: ['mem_right'], passedOver: ['mem_wrong'] }));
    expect(surest(wordsAfter([...wrong, ...right])).itemId).toBe('mem_right');
  });

  test('of an irrelevant result are nearly forgotten, those of another question untouched', () => {
    const words = wordsAfter([
      lesson({ words: ['typeface', 'editor'], used: ['mem_a'] }),
      lesson({ words: ['typeface'], irrelevant: ['mem_a'] }),
    ]);
    expect(Object.fromEntries(words.map(({ word, strength }) => [word, strength]))).toEqual({
      typeface: 0.2,
      editor: 1,
    });
    expect(wordsAfter([lesson({ used: ['mem_a'], kind: 'implicit' }), lesson({ irrelevant: ['mem_a'] })])).toEqual([
      expect.objectContaining({ strength: 0.1 }),
    ]);
  });

  test('of one item are at most 32, the firmest', () => {
    const lessons = Array.from({ length: 20 }, (_, at) =>
      lesson({ words: [`first${at}`, `second${at}`], used: ['mem_a'] }),
    );
    const words = wordsAfter([
      lesson({ words: ['typeface'], used: ['mem_a'] }),
      lesson({ used: ['mem_a'] }),
      ...lessons,
    ]);
    expect(words).toHaveLength(MAX_WORDS_PER_ITEM);
    expect(words.map(({ word }) => word)).toContain('typeface');
  });

  test('stay within bounds whatever is reported', () => {
    const id = fc.constantFrom('mem_a', 'mem_b', 'mem_c');
    const ids = fc.uniqueArray(id, { maxLength: 3 });
    const any = fc.record({
      words: fc.uniqueArray(fc.constantFrom('plum', 'jam', 'tea', 'teas', 'Plum'), { maxLength: 5 }),
      used: ids,
      passedOver: ids,
      irrelevant: ids,
      kind: fc.constantFrom('explicit' as const, 'implicit' as const),
    });
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 30 }),
        fc.integer({ min: 0, max: HALF_YEAR_MS * 4 }),
        (lessons, laterMs) => {
          const words = wordsAfter(lessons);
          for (const { strength, uses, observedUses } of words) {
            expect(strength).toBeGreaterThanOrEqual(0.1);
            expect(strength).toBeLessThanOrEqual(3);
            expect(uses + observedUses).toBeGreaterThan(0);
          }
          const sums = new Map<string, number>();
          for (const { root, certainty } of matchWords(words, NOW_MS + laterMs)) {
            expect(certainty).toBeGreaterThan(0);
            sums.set(root, (sums.get(root) ?? 0) + certainty);
          }
          for (const sum of sums.values()) expect(sum).toBeLessThanOrEqual(0.75);
        },
      ),
    );
  });
});
