import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { separateStatementsIn } from '../../../src/features/suggestions/separate-statements.ts';
import { codePoint } from '../../helpers/code-point.ts';

describe('a text is divided that says several things', () => {
  test.each([
    ['I live in Linz. My sister Hanna is a nurse.', ['I live in Linz.', 'My sister Hanna is a nurse.']],
    ['My car is a Golf\nI play the cello in an orchestra', ['My car is a Golf', 'I play the cello in an orchestra']],
    [
      'My dentist is Dr. Huber in Steyr. I drive a red Skoda.',
      ['My dentist is Dr. Huber in Steyr.', 'I drive a red Skoda.'],
    ],
    ['Prefers short answers. Lives in Graz.', ['Prefers short answers.', 'Lives in Graz.']],
    ['We use pnpm at home. Deploys go out on Tuesdays.', ['We use pnpm at home.', 'Deploys go out on Tuesdays.']],
    ['Ada lives in Linz. Ada works at Bosch.', ['Ada lives in Linz.', 'Ada works at Bosch.']],
  ])('%s', (text, lines) => {
    expect(separateStatementsIn(text)).toEqual(lines);
  });
});

describe('a text stays whole', () => {
  test.each([
    ['whose pronouns point to another line', 'Ada lives in Linz. She works at Bosch.'],
    ['that goes on about one thing', 'I have a dog at home. My dog is called Rex.'],
    ['that goes on about its parts', 'We own a house in Graz. The kitchen is blue.'],
    ['of which one line explains another', 'I am allergic to nuts. I have an EpiPen in my bag.'],
    ['that gives steps', 'Open the lid; pour the water; press the button.'],
    ['that gives a reason', 'We use SQLite because it is simple. We host on Fly.'],
    ['with a condition', 'If it rains, I take the bus. I own a car.'],
    ['that qualifies', 'I use Vim at home. But I like Emacs at work.'],
    ['that lists', 'Staging is on port 8080; production is on port 8081'],
    ['that lists values of one person', 'Ada likes green tea. Ada likes strong coffee.'],
    ['that goes on after a semicolon', 'Ada works at Bosch; our office is in Graz'],
    ['that explains a rule', 'Never store names of guests. Initials and room only, delete after the stay.'],
    ['that quotes', 'Ada said: I live in Linz. My sister is a nurse.'],
    ['with code', 'We use `make`. My sister Hanna is a nurse.'],
    ['with one sentence', 'I live in Linz with my sister Hanna.'],
    ['whose second line has no subject', 'Ben is my boss. Likes short mails.'],
    ['that orders', 'I prefer short answers. Keep them under 100 words.'],
  ])('%s', (_what, text) => {
    expect(separateStatementsIn(text)).toBeUndefined();
  });
});

test('reading any text neither throws nor takes long, and loses no word', () => {
  const word = fc.constantFrom(
    'I',
    'live',
    'in',
    'Linz.',
    'My',
    'sister',
    'is',
    'a',
    'nurse;',
    'we',
    'use',
    'Go.',
    '\n',
    'the',
  );
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 700 }),
    fc.array(word, { maxLength: 60 }).map((all) => all.join(' ')),
  );
  const wordsOf = (content: string) => content.match(/[\p{L}\p{N}]+/gu);
  fc.assert(
    fc.property(text, (content) => {
      const lines = separateStatementsIn(content);
      if (lines) expect(wordsOf(lines.join('\n'))).toEqual(wordsOf(content));
    }),
    { numRuns: 500 },
  );
  for (const part of [' ', 'A', 'my a', 'I is. ', 'my ', ';', '\n', 'A-']) {
    for (const length of [500, 1_000_000])
      separateStatementsIn(part.repeat(Math.ceil(length / part.length)).slice(0, length));
  }
});
