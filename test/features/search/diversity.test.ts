import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiverseItem, diverseOrder } from '../../../src/features/search/diversity.ts';

const WORDS = 'the kayak is red and rents cheaply by the lake in April'.split(' ');
const sorted = (items: DiverseItem[]) => items.sort((a, b) => b.score - a.score);
const items = fc
  .array(
    fc.record({
      text: fc.subarray(WORDS).map((words) => words.join(' ')),
      atMs: fc.nat(5),
      score: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 14 },
  )
  .map(sorted);

const order = (all: DiverseItem[]) => [...diverseOrder(all)];
const kayak = (colour: string, atMs: number, score: number) => ({
  text: `the kayak by the lake house is painted ${colour}`,
  atMs,
  score,
});

describe('the diverse order', () => {
  test('yields every item once', () => {
    fc.assert(
      fc.property(items, (all) => {
        expect(order(all).sort((a, b) => a - b)).toEqual([...all.keys()]);
      }),
    );
  });

  test('starts with the best item, or with a newer version of it', () => {
    fc.assert(
      fc.property(items, (all) => {
        fc.pre(all.length > 0);
        const [first] = order(all);
        expect(first === 0 || all[first!]!.atMs > all[0]!.atMs).toBe(true);
      }),
    );
  });

  test('follows the scores where no two items are similar', () => {
    const all = ['kayak', 'piano', 'garden', 'winter'].map((text, place) => ({
      text,
      atMs: place,
      score: 1 - place / 9,
    }));
    expect(order(all)).toEqual([0, 1, 2, 3]);
  });

  test('puts the newest version of a statement before older ones', () => {
    const all = [kayak('red', 1, 0.9), kayak('blue', 2, 0.8), kayak('green', 3, 0.7)];
    expect(order(all)[0]).toBe(2);
    expect(order([kayak('red', 3, 0.9), kayak('blue', 2, 0.8)])[0]).toBe(0);
  });

  test('prefers diverse items over near-duplicates', () => {
    const other = { text: 'rent costs twelve a day', atMs: 1, score: 0.75 };
    expect(order([kayak('red', 2, 0.9), kayak('blue', 1, 0.8), other])).toEqual([0, 2, 1]);
  });

  test('orders a hundred long texts one at a time', () => {
    const long = Array.from({ length: 100 }, (_, place) => ({
      text: Array.from({ length: 3000 }, (_, word) => `w${(word * (place + 7)) % 997}`).join(' '),
      atMs: place,
      score: 1 - place / 100,
    }));
    expect(order(long)).toHaveLength(100);
    expect(diverseOrder(long).next().value).toBeTypeOf('number');
  });
});
