import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffWords } from '../../src/dashboard/parts/word-diff.ts';
import { codePoint } from '../helpers/code-point.ts';

const textOf = (parts: ReturnType<typeof diffWords>, left: 'added' | 'removed') =>
  parts.map(({ kind, text }) => (kind === left ? '' : text)).join('');

describe('a diff by word', () => {
  test('marks the words that changed and no others', () => {
    expect(diffWords('never coffee after four', 'never coffee after three')).toEqual([
      { kind: 'same', text: 'never coffee after ' },
      { kind: 'removed', text: 'four' },
      { kind: 'added', text: 'three' },
    ]);
  });

  test('contains both versions whole, whatever they are', () => {
    const words = fc.array(fc.constantFrom('tea', 'coffee', ' ', '\n', '…', '王', '👩‍🚀', 'a'), { maxLength: 40 });
    const texts = fc.oneof(
      words.map((list) => list.join('')),
      fc.string({ unit: codePoint }),
    );
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const parts = diffWords(before, after);
        expect(textOf(parts, 'added')).toBe(before);
        expect(textOf(parts, 'removed')).toBe(after);
      }),
    );
  });

  test('compares very long texts as a whole', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `a${index}`).join(' ');
    const after = Array.from({ length: 3000 }, (_, index) => `b${index}`).join(' ');
    expect(diffWords(before, after).filter(({ kind }) => kind !== 'same')).toHaveLength(2);
  });
});
