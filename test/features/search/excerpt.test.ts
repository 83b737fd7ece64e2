import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { excerptOf, joinPieces } from '../../../src/features/search/excerpt.ts';
import { codePoint } from '../../helpers/code-point.ts';

const WEIGHTS = new Map([
  ['lamp', 1],
  ['oil', 0.5],
  ['kitchen', 0.2],
]);
const FILLER = 'Nothing to see in this sentence. '.repeat(12);
const shownOf = (text: string) => {
  const { pieces, matching } = excerptOf(text, WEIGHTS);
  return joinPieces(pieces, new Set(matching));
};

describe('an excerpt', () => {
  test('has each piece once and in order; together they make up the text', () => {
    const line = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 400 }),
      fc.lorem({ mode: 'sentences', maxCount: 20 }),
      fc.constantFrom('- lamp', '漢字です。漢字だ！', 'x'.repeat(700), '😀'.repeat(301)),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const text = lines.join('\n');
        const { pieces, matching, others } = excerptOf(text, WEIGHTS);
        expect([...matching, ...others].sort((a, b) => a - b)).toEqual([...pieces.keys()]);
        expect(matching).toEqual(matching.toSorted((a, b) => a - b));
        expect(joinPieces(pieces, new Set(pieces.keys()))).toBe(text.replace(/\s+/g, ' ').trim());
      }),
    );
  });

  test('never cuts a character in two', () => {
    for (const text of ['😀'.repeat(301), `a${'😀'.repeat(301)}`]) {
      for (const piece of excerptOf(text, WEIGHTS).pieces) expect(piece.text.isWellFormed()).toBe(true);
    }
  });

  test.each([
    'Meine Mutter hat am 3. Mai Geburtstag',
    'Wir wohnen im 2. Stock der Gartenstraße 5',
    'Ich esse z. B. keine Pilze und z.B. keine Nüsse',
    'Ich arbeite in St. Gallen als Koch',
    'Mon médecin est le Dr. Besson à Nantes',
    'Il mio medico è il dott. Rossi di Lucca',
    'Mieszkam na ul. Długiej w Gdańsku',
    'Mam urodziny 3. maja i lubię torty',
    'Я живу на ул. Гоголя, г. Тула',
    'Moro na Av. Paulista 900',
    'My doctor is J. R. Patel of St. James, No. 5 on the left',
    'We use tools, e.g. Vitest, etc. and so on',
  ])('keeps %j in one piece', (text) => {
    expect(excerptOf(text, WEIGHTS).pieces.map((piece) => piece.text)).toEqual([text]);
  });

  test.each([
    ['I moved to LA.', 'We use Postgres.'],
    ['Use Go.', 'Then run it.'],
    ['I saw it on TV.', 'I like it.'],
    ['The answer is 42.', 'We use Postgres.'],
    ['I am 7.', 'We live in Graz.'],
    ['We use npm.', 'Never yarn.'],
    ['The well gives 3 mg/l.', 'Suggest a filter.'],
    ['Fix it.', 'we use npm'],
    ['Do this.', '2.', 'Do that.'],
    ['So do I.', 'We like it.'],
    ['Ya lo sé.', 'Vivo en Lugo.'],
    ['Это я.', 'Мне 42.', 'Живу в Туле.'],
  ])('ends a sentence after %j', (...sentences) => {
    expect(excerptOf(sentences.join(' '), WEIGHTS).pieces.map((piece) => piece.text)).toEqual(sentences);
  });

  test('shows a short text whole, whatever matches', () => {
    expect(shownOf('The lamp is on. The cat is out.')).toBe('The lamp is on. The cat is out.');
  });

  test('shows the sentence with the weightiest terms first, and one that adds others', () => {
    const both = 'The oil stands behind the house near the old wooden shed.';
    const shown = shownOf(
      `${FILLER}The lamp in the kitchen needs a new wick before the winter. ${FILLER}${both} ${FILLER}`,
    );
    expect(shown).toContain('The lamp in the kitchen needs a new wick before the winter.');
    expect(shown).toContain(both);
    expect(shown.length).toBeLessThan(400);
  });

  test('shows the first of several sentences with the same words, then the first with another', () => {
    const about = (words: string, at: number) =>
      `The ${words} of room ${at} is told of at length ${'and again '.repeat(4)}here.`;
    const rooms = ['lamp', 'lamp', 'oil', 'lamp', 'oil', 'kitchen'];
    const shown = shownOf(`${FILLER}\n${rooms.map((words, at) => about(words, at)).join('\n')}\n${FILLER}`);
    expect(shown.match(/room \d/g)).toEqual(['room 0', 'room 2', 'room 5']);
  });

  test('shows what follows a heading that matches', () => {
    expect(shownOf(`${FILLER}\n### Lamp\nIt needs a new wick.\n${FILLER}`)).toContain('### Lamp It needs a new wick.');
  });

  test('shows the beginning of a long text in which nothing matches', () => {
    expect(shownOf(`First things first. ${FILLER}`)).toMatch(/^First things first\. Nothing.* …$/);
  });
});
