import { Chrono, type Parser } from 'chrono-node/en';

/** Days from the day of writing. */
const DAYS: Readonly<Record<string, number>> = {
  ...{ przedwczoraj: -2, wczoraj: -1, dziś: 0, dzisiaj: 0, jutro: 1, pojutrze: 2 },
};
const MONTHS = `stycz lut mar kwie maj czerw lip sierp wrze październik listopad grud`.split(' ');
const MONTH = String.raw`(?<month>(?:${MONTHS.join('|')})\p{L}*)`;
const UNITS: readonly (readonly [RegExp, 'day' | 'week' | 'month' | 'year'])[] = [
  [/^d(?:zie|ni)/, 'day'],
  [/^ty(?:dzie|god)/, 'week'],
  [/^miesi/, 'month'],
  [/^(?:rok|lat)/, 'year'],
];
const NUMBERS = ['', 'jeden', 'dwa', 'trzy', 'cztery', 'pięć', 'sześć', 'siedem', 'osiem', 'dziewięć', 'dziesięć'];

type Context = Parameters<Parser['extract']>[0];
type Components = ReturnType<Context['createParsingComponents']>;

/** Adds the word's beginning: chrono's own boundaries are those of ASCII. */
function parser(source: string, read: (context: Context, groups: Record<string, string>) => Components) {
  const pattern = new RegExp(String.raw`(?<!\p{L})(?:${source})(?!\p{L})`, 'iu');
  return {
    pattern: () => pattern,
    extract: (context: Context, match: RegExpMatchArray) => read(context, match.groups ?? {}),
  };
}

function daysFrom(context: Context, days: number): Components {
  const at = context.reference.getDateWithAdjustedTimezone();
  at.setUTCDate(at.getUTCDate() + days);
  return context.createParsingComponents({
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
  });
}

const DAYS_IN = { day: 1, week: 7, month: 30.4, year: 365.25 };

function monthOf(word: string): number {
  return MONTHS.findIndex((beginning) => word.toLowerCase().startsWith(beginning)) + 1;
}

/** Polish dates, of which chrono knows none. */
export const polish = new Chrono({
  refiners: [],
  parsers: [
    parser(`(?<word>${Object.keys(DAYS).join('|')})`, (context, { word = '' }) =>
      daysFrom(context, DAYS[word.toLowerCase()]!),
    ),
    parser(String.raw`(?<day>\d{1,2}) ${MONTH}(?: (?<year>(?:19|20)\d\d))?`, (context, { day, month = '', year }) => {
      const found = context.createParsingComponents({ day: Number(day), month: monthOf(month) });
      if (year === undefined) found.imply('year', context.reference.getDateWithAdjustedTimezone().getUTCFullYear());
      else found.assign('year', Number(year));
      return found;
    }),
    parser(
      String.raw`(?:(?<count>\d+|${NUMBERS.slice(1).join('|')}) )?(?<unit>dni|dzień|tydzień|tygodnie|tygodni|miesiąc|miesiące|miesięcy|rok|lata|lat) temu`,
      (context, { count = '1', unit = '' }) => {
        const [, kind] = UNITS.find(([pattern]) => pattern.test(unit.toLowerCase()))!;
        const number = Number(count) || NUMBERS.indexOf(count.toLowerCase());
        return daysFrom(context, -Math.round(number * DAYS_IN[kind]));
      },
    ),
    parser(`w (?:zeszłym|ubiegłym) (?<unit>tygodniu|miesiącu|roku)`, (context, { unit = '' }) => {
      const kind = unit.startsWith('t') ? 'week' : unit.startsWith('m') ? 'month' : 'year';
      return daysFrom(context, -Math.round(DAYS_IN[kind]));
    }),
  ],
});
