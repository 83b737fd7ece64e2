import { describe, expect, test } from 'vitest';
import { stemOf } from '../../../src/features/text/porter.ts';
import { scopePrefix } from '../../../src/features/text/terms.ts';
import { formsOf, rootOf } from '../../../src/features/text/word-forms.ts';

describe('the forms of a word', () => {
  test.each([
    ['broke', ['break', 'broken']],
    ['breaking', ['broke', 'broken']],
    ['children', ['child']],
    ['tries', ['try']],
    ['tried', ['try']],
    ['kayak', []],
  ])('of "%s" are those with another stem', (word, forms) => {
    expect(formsOf(word)).toEqual(forms);
  });

  test.each([
    ['broke', 'breaks'],
    ['swam', 'swimming'],
    ['died', 'dying'],
    ['buses', 'bus'],
    ['wolves', 'wolf'],
  ])('"%s" and "%s" have one root', (one, other) => {
    expect(rootOf(one)).toBe(rootOf(other));
  });

  test('have the same stems behind every prefix of a user', () => {
    for (const word of ['break', 'try', 'die', 'bus', 'focus', 'child', 'steal']) {
      for (const form of [word, ...formsOf(word)]) {
        for (const prefix of [scopePrefix(1, 'live'), scopePrefix(12_345, 'past')]) {
          expect(stemOf(prefix + form)).toBe(prefix + stemOf(form));
        }
      }
    }
  });

  test('of an Arabic word are those with and without the article', () => {
    expect(formsOf('كتاب')).toContain('الكتاب');
    expect(formsOf('الكتاب')).toContain('كتاب');
    expect(formsOf('بالكتاب')).toContain('الكتاب');
    expect(formsOf('الله')).not.toContain('له');
  });
});
