import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  foldedLimitOf,
  monthTokenOf,
  queryTerms,
  scopePrefix,
  speakerTokensOf,
  termsInSteps,
  termsOf,
  tokenOf,
} from '../../../src/features/text/terms.ts';
import { codePoint } from '../../helpers/code-point.ts';

const text = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom('_', '__m4', '__2020m4', '_ann', 'ann', '2_', ' ', '-', 'é', '漢', '＿', '‿', '﹍', '\u0301'),
    )
    .map((parts) => parts.join('')),
);

function indexed(written: string): { terms: string[]; isCut: boolean; steps: number } {
  const steps = termsInSteps(written);
  for (let count = 1; ; count += 1) {
    const step = steps.next();
    if (step.done) return { ...step.value, steps: count };
  }
}

describe('a long text', () => {
  const prose = fc.constantFrom(
    'The quick brown fox jumped over the lazy dog. ',
    'Über den Wolken muß die Freiheit wohl grenzenlos sein. ',
    'Съешь же ещё этих мягких французских булок. ',
    'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ',
    'سمعت رسول الله ﷺ يقول إنما الأعمال بالنيات. ',
    'דג סקרן שט בים מאוכזב ולפתע מצא חברה. ',
    'ऋषियों को सताने वाले दुष्ट राक्षसों के राजा। ',
    '我能吞下玻璃而不伤身体。',
    'いろはにほへと、ガラスを食べられます。',
    '나는 유리를 먹을 수 있어요. ',
    'ฉันกินกระจกได้แต่มันไม่ทำให้ฉันเจ็บและน้ำ ',
    'ကျွန်တော် ကျွန်မ မှန်စားနိုင်တယ်။ ',
    'Tôi có thể ăn thủy tinh mà không hại gì. ',
  );

  test('of ordinary prose in any script is indexed to its end', () => {
    fc.assert(
      fc.property(prose, (sentence) => {
        const written = `${sentence.repeat(Math.ceil(40_000 / sentence.length)).slice(0, 40_000)} kayak`;
        const { terms, isCut } = indexed(written);
        expect(isCut).toBe(false);
        expect(terms.at(-1)).toBe('kayak');
      }),
      { numRuns: 15 },
    );
  });

  test('has no more terms than twice its length, whatever it holds', () => {
    const unit = fc.oneof(fc.string({ unit: codePoint, minLength: 1, maxLength: 4 }), fc.constantFrom('㍿', 'ﷺ', 'ำ'));
    fc.assert(
      fc.property(unit, fc.integer({ min: 1, max: 5000 }), (repeated, length) => {
        const written = repeated.repeat(Math.ceil(length / repeated.length)).slice(0, length);
        expect(indexed(written).terms.join('').length).toBeLessThanOrEqual(2 * foldedLimitOf(length));
        expect(indexed(written).terms.length).toBeLessThanOrEqual(foldedLimitOf(length));
      }),
    );
  });

  test('is cut, and reported as cut, where folding expands it beyond its limit', () => {
    const { terms, isCut } = indexed(`kayak ${'ﷺ '.repeat(5000)} canoe`);
    expect(isCut).toBe(true);
    expect(terms).toContain('kayak');
    expect(terms).not.toContain('canoe');
    expect(indexed(`kayak ${'ﷺ '.repeat(10)} canoe`)).toMatchObject({ isCut: false });
  });

  test('has at most 50,000 terms, and is reported as cut if it has more', () => {
    const spaced = indexed(`${'of '.repeat(49_999)}canoe kayak`);
    expect([spaced.isCut, spaced.terms.length, spaced.terms.at(-1)]).toEqual([true, 50_000, 'canoe']);
    const unspaced = indexed('海'.repeat(60_000));
    expect([unspaced.isCut, unspaced.terms.length]).toEqual([true, 50_000]);
    expect(indexed('a '.repeat(50_000))).toMatchObject({ isCut: false });
  });

  test('has the terms of its parts, wherever a step ends', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2040, max: 2050 }), (written, words) => {
        const padding = Array.from({ length: words }, () => 'x');
        const whole = indexed(`${padding.join(' ')} ${written}`).terms;
        const alone = termsOf(`x ${written}`);
        expect(whole.toSorted()).toEqual([...padding.slice(1), ...alone].toSorted());
      }),
    );
  });

  test('is read in many small steps', () => {
    for (const unit of ['the fox ', '漢', 'ﷺ', 'a-a ', '\u0301']) {
      expect(indexed(unit.repeat(100_000 / unit.length)).steps).toBeGreaterThan(20);
    }
  });
});

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
      { numRuns: 200 },
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
    { numRuns: 400 },
  );
});
