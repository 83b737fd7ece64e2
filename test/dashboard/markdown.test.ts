import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMarkdown, safeAddress } from '../../src/dashboard/markdown.ts';

const rawOf = (text: string) =>
  parseMarkdown(text)!
    .map(({ raw }) => raw)
    .join('');

describe('Markdown', () => {
  test('stores text in its tokens as it was written, not as HTML', () => {
    const [paragraph] = parseMarkdown('a < b & c <img src=x onerror=alert(1)> `<b>`')! as {
      tokens: { text: string }[];
    }[];
    expect(paragraph!.tokens.map(({ text }) => text)).toEqual([
      'a < b & c ',
      '<img src=x onerror=alert(1)>',
      ' ',
      '<b>',
    ]);
  });

  test('loses nothing of any text', () => {
    const piece = fc.constantFrom(
      '*',
      '_',
      '`',
      '[',
      '](',
      ')',
      '<',
      '>',
      '\n',
      '- ',
      '1. ',
      '|',
      '#',
      '  ',
      'a',
      '\\',
      '&',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        expect(rawOf(text).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      }),
    );
  });

  test('is not parsed where that would take long or recurse deeply', () => {
    expect(parseMarkdown('*'.repeat(20_001))).toBeUndefined();
    expect(parseMarkdown('>'.repeat(20_000))).toBeUndefined();
    const [paragraph] = parseMarkdown('_a'.repeat(5000))! as { tokens: object[] }[];
    expect(paragraph!.tokens).toHaveLength(1);
  });
});

test.each([
  ['https://example.com/a?b=c#d', true],
  ['HTTP://example.com', true],
  ['mailto:ada@example.com', true],
  ['javascript:alert(1)', false],
  [' javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['/dashboard/settings', false],
  ['//example.com', false],
  ['https://', false],
])('a link to %s leads there: %s', (href, isSafe) => {
  expect(safeAddress(href)).toBe(isSafe ? href : undefined);
});
