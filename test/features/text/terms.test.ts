import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  monthTokenOf,
  queryTerms,
  scopePrefix,
  speakerTokensOf,
  termsOf,
  tokenOf,
} from '../../../src/features/text/terms.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom('_', '__m4', '__2020m4', '_ann', 'ann', '2_', ' ', '-', 'é', '漢', '＿', '‿', '﹍', '\u0301'),
    )
    .map((parts) => parts.join('')),
);

describe('the terms of a text', () => {
  test.each([
    ['e-mail', 'email'],
    ['E-Mail', 'email'],
    ['check-in', 'checkin'],
  ])('"%s" is indexed as "%s" and as its parts', (compound, whole) => {
    const parts = compound.toLowerCase().split('-');
    expect(termsOf(`an ${compound}!`)).toEqual([whole, 'an', ...parts]);
    expect(queryTerms(compound)).toEqual(expect.arrayContaining([whole]));
    expect(termsOf(`an ${whole}`)).toContain(queryTerms(compound)[0]);
  });

  test('do not treat chains of hyphens, numbers or other scripts as compounds', () => {
    expect(termsOf('one-two-three 2020-05 2020-a ж-mail -a-b a-b-')).toEqual(
      'one two three 2020 05 2020 a ж mail a b a b'.split(' '),
    );
  });

  test('never look like a speaker or a month', () => {
    fc.assert(
      fc.property(text, (written) => {
        for (const term of [...termsOf(written), ...queryTerms(written)]) expect(term).not.toContain('_');
      }),
      { numRuns: 500 },
    );
  });

  test('have at most forty characters, without split surrogate pairs', () => {
    fc.assert(
      fc.property(fc.nat(3), fc.constantFrom('a', '漢', '\u{1e900}', 'é', '㍿', 'ﷺ'), (before, unit) => {
        for (const term of termsOf('x'.repeat(before) + unit.repeat(90))) {
          expect(term.length).toBeLessThanOrEqual(40);
          expect(term.isWellFormed()).toBe(true);
        }
      }),
    );
  });

  test.each(['漢', '㍿', 'ﷺ', 'ก', 'a-a ', '\u0301', 'İ', '🧑‍🚀'])(
    'of a hundred thousand characters of %j are found without a fault',
    (unit) => {
      const long = unit.repeat(100_000 / unit.length);
      expect(termsOf(`kayak ${long}`)).toContain('kayak');
    },
  );
});

test('speakers, months and words of all scopes have distinct tokens', () => {
  const token = fc.oneof(
    fc.tuple(fc.constant('word'), text.map(termsOf)),
    fc.tuple(fc.constant('speaker'), text.map(speakerTokensOf)),
    fc.tuple(
      fc.constant('month'),
      fc
        .record({ year: fc.option(fc.integer({ min: 1, max: 9999 })), month: fc.integer({ min: 1, max: 12 }) })
        .map(({ year, month }) => [monthTokenOf(year === null ? { month } : { year, month })]),
    ),
  );
  const scope = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.constantFrom('live' as const, 'past' as const));
  const tokens = fc.tuple(scope, token).map(([[number, part], [kind, terms]]) => ({
    whose: `${number} ${part} ${kind}`,
    tokens: terms.map((term) => tokenOf(scopePrefix(number, part), term)),
  }));
  fc.assert(
    fc.property(tokens, tokens, (a, b) => {
      if (a.whose === b.whose) return;
      expect(a.tokens.filter((one) => b.tokens.includes(one))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
