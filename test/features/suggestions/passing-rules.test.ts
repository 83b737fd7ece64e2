import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passingOf } from '../../../src/features/suggestions/passing-rules.ts';
import { codePoint } from '../../helpers/code-point.ts';

const DAY_MS = 24 * 3_600_000;
/** A Wednesday. */
const SAID_MS = Date.UTC(2026, 0, 7, 10);
const lastDayOf = (text: string, saidMs = SAID_MS) => {
  const passing = passingOf(text, saidMs);
  return passing && new Date(passing.endsMs - 1).toISOString().slice(0, 10);
};

describe('a statement about something that happens once holds through', () => {
  test.each([
    ['the meeting is on Friday', '2026-01-09'],
    ['dentist tomorrow at 9', '2026-01-08'],
    ['Dentist tomorrow at 9 a.m. in Linz', '2026-01-08'],
    ['in Lisbon until 14 March', '2026-03-14'],
    ['deadline: 2026-03-01', '2026-03-01'],
    ['The staging server is in read-only mode for the next two weeks', '2026-01-24'],
    ['Dinner with Ada tonight', '2026-01-07'],
    ["This week I'm working from Graz", '2026-01-11'],
    ['Ada is on vacation until next Monday', '2026-01-12'],
    ['The kick-off is next Friday', '2026-01-16'],
    ['My parents are visiting this weekend', '2026-01-11'],
    ['I need to hand in the thesis by 3 February', '2026-02-03'],
    ['Remember to send the invoice by the end of the month', '2026-01-31'],
    ['The release of 2.0 is planned for March 3rd', '2026-03-03'],
    ['The API is closed for maintenance from 10 to 12 January', '2026-01-12'],
    ['I fly to Oslo on Monday and return on Thursday', '2026-01-15'],
    ['I am not available until Monday', '2026-01-12'],
    ['Standup is cancelled tomorrow', '2026-01-08'],
    ['I am visiting Graz from tomorrow through Friday', '2026-01-09'],
    ['I am in Lisbon from 14 March to 16 March', '2026-03-16'],
  ])('%s → %s', (text, lastDay) => {
    expect(lastDayOf(text)).toBe(lastDay);
  });

  test('the next such day, also when it was said on one', () => {
    expect(lastDayOf('The meeting is on Wednesday')).toBe('2026-01-14');
    expect(lastDayOf('The meeting is on 7 January')).toBe('2026-01-07');
    expect(lastDayOf('The meeting is on 3 January', Date.UTC(2025, 11, 20))).toBe('2026-01-03');
  });
});

describe('nothing passes where a statement', () => {
  test.each([
    ['recurs', ['Every Friday we have a demo', 'Standup is on Fridays', 'The weekly call is on Tuesday']],
    ['may recur', ['We deploy on Friday', 'The team meeting is on Monday', 'The shop is closed on Sunday']],
    ['is history', ['We shipped on Friday', 'I moved to Graz in March', 'The dentist was on Friday']],
    ['comes each year', ['My birthday is on 14 March', 'Taxes are due on 31 July']],
    ['is a preference', ['I like meetings on Friday', 'I prefer to fly on Friday']],
    ['begins', ['Since Monday the server is slow', 'From 1 May on I work in Graz', 'I start my new job on Monday']],
    [
      'begins at a time and does not say when it ends',
      [
        'I will be vegan from tomorrow',
        'From tomorrow I will be vegan',
        'The office will be closed from 1 October 2026',
      ],
    ],
    ['leads to what lasts', ["I'm moving to Graz on 1 May", 'Bob joins the team tomorrow']],
    ['is a condition or not certain', ['If the meeting is on Friday, book a room', 'The meeting might be on Friday']],
    ['is a question or a quotation', ['Is the meeting on Friday?', 'Tom: "the meeting is on Friday"']],
    ['denies', ['The meeting is not on Friday', 'Never deploy tomorrow']],
    ['only has a number', ['We use version 2026.3', 'The port is 2026', 'The logs of 2026-01-20 are in the bucket']],
    ['is about the far future', ['The deadline for the bridge is 2031-03-01']],
    ['holds for all of a kind', ['Invoices are due in 14 days', 'Refunds must be requested within two weeks']],
    [
      'says something else too',
      ['The meeting is on Friday. Ada leads the team', 'The demo is on Friday, but I live in Graz'],
    ],
    ['is over by what it says', ['The deadline was moved, it is 2025-12-01', 'deadline: 2025-12-01']],
  ])('%s', (_what, texts) => {
    expect(texts.filter((text) => passingOf(text, SAID_MS))).toEqual([]);
  });
});

test('reading any text neither throws nor takes long', () => {
  const word = fc.constantFrom(
    ...[
      'Friday',
      'until',
      'the',
      'next',
      '14',
      'March',
      '2026-03-01',
      'two',
      'weeks',
      'meeting',
      'is',
      'on',
      'ed',
      '\n',
      'May',
    ],
  );
  const text = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 400 }),
    fc.array(word, { maxLength: 60 }).map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: -8.64e15, max: 8.64e15 }), (content, saidMs) => {
      const passing = passingOf(content, saidMs);
      expect(passing === undefined || passing.endsMs > saidMs - DAY_MS).toBe(true);
    }),
    { numRuns: 500 },
  );
  for (const part of [' ', 'a', 'ed ', 'on Friday ', '14 March ', 'is ', 'I have ', '"', "'", 'the rest of ']) {
    for (const length of [240, 1_000_000])
      passingOf(part.repeat(Math.ceil(length / part.length)).slice(0, length), SAID_MS);
  }
});
