import { Chrono } from 'chrono-node/en';
import {
  calendarWords,
  componentsFrom,
  dayFirst,
  monthComponents,
  monthNames,
  parserOf,
  type Unit,
  wholeWords,
} from './calendar-words.ts';

const calendar = calendarWords('pl');
const MONTHS = monthNames('pl').map((name) => name.replace(/(?:ego|a)$/, ''));
const WEEKDAYS = 'niedziel poniedział wtor śro czwart pią sobot'.split(' ');
const UNITS: readonly (readonly [RegExp, Unit])[] = [
  [/^d(?:zie|ni)/, 'day'],
  [/^ty(?:dzie|god)/, 'week'],
  [/^miesi/, 'month'],
  [/^(?:rok|lat)/, 'year'],
];
const NUMBERS = ['', 'jeden', 'dwa', 'trzy', 'cztery', 'pięć', 'sześć', 'siedem', 'osiem', 'dziewięć', 'dziesięć'];
const MONTH = `(?<month>${MONTHS.join('|')})(?:ego|ym|a|u|zie)`;
const WEEKDAY = `(?<weekday>${WEEKDAYS.join('|')})(?:ek|ę|dę|tek)`;

/** Where a text may name a date, for whole words. */
export const POLISH_HINT = String.raw`${calendar.hint}|dziś|\p{L}+ temu|w ubiegłym|${MONTH}|${WEEKDAY}`.replace(
  /\?<(?:month|weekday)>/g,
  '?:',
);

function daysUntil(weekday: number, { today, which }: { today: number; which: string }): number {
  const ahead = (weekday - today + 7) % 7;
  if (/^(?:zeszł|ubiegł|ostatni)/.test(which)) return ahead - 7;
  if (which !== '') return ahead === 0 ? 7 : ahead;
  return ahead > 3 ? ahead - 7 : ahead;
}

/** Polish dates, of which chrono knows none. */
export const polish = new Chrono({
  refiners: [],
  parsers: [
    dayFirst('[./-]'),
    calendar.relative,
    parserOf(wholeWords('dziś'), (context) => componentsFrom(context, 'day', 0)),
    parserOf(
      wholeWords(String.raw`(?:(?<day>\d{1,2})|we?|od|do) ${MONTH}(?: (?<year>(?:19|20)\d\d))?`),
      (context, { month = '', ...rest }) => monthComponents(context, MONTHS.indexOf(month.toLowerCase()) + 1, rest),
    ),
    parserOf(
      wholeWords(String.raw`(?:(?<which>zeszł|ubiegł|ostatni|przyszł|następn)\p{L}* )?${WEEKDAY}`),
      (context, { which = '', weekday = '' }) => {
        const today = context.reference.getDateWithAdjustedTimezone().getUTCDay();
        const at = WEEKDAYS.indexOf(weekday.toLowerCase());
        return componentsFrom(context, 'day', daysUntil(at, { today, which: which.toLowerCase() }));
      },
    ),
    parserOf(
      wholeWords(
        String.raw`(?:(?<count>\d{1,3}|${NUMBERS.slice(1).join('|')}) )?(?<unit>dni|dzień|tydzień|tygodnie|tygodni|miesiąc|miesiące|miesięcy|rok|lata|lat) temu`,
      ),
      (context, { count = '1', unit = '' }) => {
        const [, kind] = UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))!;
        return componentsFrom(context, kind, -(Number(count) || NUMBERS.indexOf(count.toLowerCase())));
      },
    ),
    parserOf(wholeWords(`w ubiegłym (?<unit>tygodniu|miesiącu|roku)`), (context, { unit = '' }) => {
      const kind = unit.startsWith('t') ? 'week' : unit.startsWith('m') ? 'month' : 'year';
      return componentsFrom(context, kind, -1);
    }),
  ],
});
