import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { LearnedWord } from '../../src/contract/learned-words.ts';
import { SIGNAL_NAMES } from '../../src/contract/signals.ts';
import { groupWords, itemTitle } from '../../src/dashboard/views/learning/learned-items.ts';
import { describeUse } from '../../src/dashboard/views/recall/learned-use.ts';

const wordOf = (word: string, itemId: string): LearnedWord => ({
  ...{ word, itemId, type: 'memory', text: `Text of ${itemId}`, uses: 1, observedUses: 0, strength: 1 },
  lastUsedAt: '2026-11-26T00:00:00.000Z',
});

describe('learned words', () => {
  test('are grouped by item, that of the word used last first', () => {
    const words = [wordOf('editor', 'mem_b'), wordOf('office', 'mem_a'), wordOf('typeface', 'mem_b')];
    expect(groupWords(words).map(({ itemId, words: own }) => [itemId, own.map(({ word }) => word)])).toEqual([
      ['mem_b', ['editor', 'typeface']],
      ['mem_a', ['office']],
    ]);
    expect(groupWords(words)[0]).toMatchObject({ type: 'memory', text: 'Text of mem_b' });
    expect(groupWords([])).toEqual([]);
  });

  test('are labeled with the first line of their item, of at most 60 characters', () => {
    expect(itemTitle({ text: ' One line\nand another' })).toBe('One line');
    expect(itemTitle({ text: 'a'.repeat(60) })).toBe('a'.repeat(60));
    expect(itemTitle({ text: 'a'.repeat(61) })).toBe(`${'a'.repeat(59)}…`);
    expect(itemTitle({ text: '' })).toBe('an item without text');
  });

  test('say in Recall how often a result was used, by the word used most', () => {
    const used = (uses: number, observedUses: number) => ({ word: 'editor', uses, observedUses });
    expect(describeUse([used(1, 0)])).toBe('used this once');
    expect(describeUse([used(1, 0), used(1, 1)])).toBe('used this twice');
    expect(describeUse([used(0, 1), used(2, 1)])).toBe('used this 3 times');
  });

  test('say that a result was read where no feedback named it', () => {
    const observed = { word: 'editor', uses: 0, observedUses: 2 };
    expect(describeUse([observed])).toBe('read this twice');
    expect(describeUse([observed, { word: 'typeface', uses: 1, observedUses: 0 }])).toBe('used this twice');
  });
});

test('each signal has a color', async () => {
  const css = await readFile(new URL('../../src/dashboard/views/recall/recall.css', import.meta.url), 'utf8');
  const colors = SIGNAL_NAMES.map(
    (name) => new RegExp(`^\\.signal-${name} \\{\\s+background: ([^;]+);`, 'm').exec(css)?.[1],
  );
  expect(colors).not.toContain(undefined);
  expect(new Set(colors).size).toBe(SIGNAL_NAMES.length);
});
