import type { ParsedResult, Parser } from 'chrono-node/en';

type Context = Parameters<Parser['extract']>[0];
export type Components = ReturnType<Context['createParsingComponents']>;
export type Unit = 'day' | 'week' | 'month' | 'year';

/** What `Intl` knows of the dates of a language, which chrono often does not. */
export interface CalendarWords {
  /** Source of a pattern for whole words where a text may name a date. */
  hint: string;
  relative: Parser;
  months: Parser;
  /** Between the numbers of a date. */
  separator: string;
}

const UNITS: readonly Unit[] = ['day', 'week', 'month', 'year'];
const WIDTH_TAG = 'width/';
/** Of longer names, inflected forms differ in their endings. */
const MIN_INFLECTED = 5;
const MAX_ENDING = 2;

/** Returns the calendar words of a language: relative days and periods, months and weekdays. */
export function calendarWords(code: string, { isUnspaced = false } = {}): CalendarWords {
  const words = isUnspaced ? String : wholeWords;
  const relative = relativePhrases(code);
  const months = monthNames(code);
  const weekday = new Intl.DateTimeFormat(code, { weekday: 'long', timeZone: 'UTC' });
  const names = [...months, ...Array.from({ length: 7 }, (_, day) => weekday.format(Date.UTC(2026, 0, day + 1)))];
  const phrases = anyOf([...relative.keys()]);
  const relativeParser = parserOf(words(`(?<phrase>${phrases})`), (context, { phrase = '' }) => {
    const [unit, count] = relative.get(phrase.toLowerCase().replaceAll("'", '’'))!;
    return componentsFrom(context, unit, count);
  });
  const month = words(String.raw`(?<name>${anyOf(months)})(?: (?:de )?(?<year>(?:19|20)\d\d))?`);
  return {
    hint: [phrases, ...names.map(inflected)].join('|'),
    relative: relativeParser,
    months: parserOf(month, (context, { name = '', year }) =>
      monthComponents(context, months.indexOf(name.toLowerCase()) + 1, { year }),
    ),
    separator: new Intl.DateTimeFormat(code).formatToParts().find(({ type }) => type === 'literal')!.value,
  };
}

/** Names of the months as they stand beside a day: "marca". */
export function monthNames(code: string): string[] {
  const format = new Intl.DateTimeFormat(code, { day: 'numeric', month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, index) => {
    const month = format.formatToParts(Date.UTC(2026, index)).find(({ type }) => type === 'month');
    return month!.value.toLowerCase();
  });
}

/** Creates a parser of a pattern. chrono's own boundaries are those of ASCII. */
export function parserOf(
  source: string,
  read: (context: Context, groups: Partial<Record<string, string>>) => Components,
): Parser {
  const pattern = new RegExp(source, 'iu');
  return { pattern: () => pattern, extract: (context, match) => read(context, match.groups ?? {}) };
}

/** Matches a source only at boundaries of words. */
export function wholeWords(source: string): string {
  return String.raw`(?<!\p{L})(?:${source})(?!\p{L})`;
}

/** A number of units from the day of writing, as wide as the unit. */
export function componentsFrom(context: Context, unit: Unit, count: number): Components {
  const at = context.reference.getDateWithAdjustedTimezone();
  if (unit === 'year') at.setUTCFullYear(at.getUTCFullYear() + count, 0, 1);
  else if (unit === 'month') at.setUTCMonth(at.getUTCMonth() + count, 1);
  else at.setUTCDate(at.getUTCDate() + count * (unit === 'week' ? 7 : 1));
  const date = { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
  return context.createParsingComponents(date).addTag(`${WIDTH_TAG}${unit}`);
}

/** Reads numbers with one of the separators between them as a day, a month and a year. */
export function dayFirst(separators: string): Parser {
  const date = String.raw`(?<![\d./-])(?<day>\d{1,2})(?<separator>${separators})(?<month>\d{1,2})\k<separator>(?<year>(?:19|20)\d\d)(?![\d/-])`;
  return parserOf(date, (context, { month, ...rest }) => monthComponents(context, Number(month), rest));
}

/** A month, or a day of it; without a year, of the year of writing. */
export function monthComponents(
  context: Context,
  month: number,
  { day, year }: Partial<Record<string, string>>,
): Components {
  const found = context.createParsingComponents(day === undefined ? { month } : { day: Number(day), month });
  if (year === undefined) found.imply('year', context.reference.getDateWithAdjustedTimezone().getUTCFullYear());
  else found.assign('year', Number(year));
  return found;
}

/** How wide a parser of this file says that a date is. */
export function widthOf({ start }: Pick<ParsedResult, 'start'>): Unit | undefined {
  return UNITS.find((unit) => start.tags().has(`${WIDTH_TAG}${unit}`));
}

/** "Yesterday" and "next week" of a language, without those that count. */
function relativePhrases(code: string): Map<string, readonly [unit: Unit, count: number]> {
  const format = new Intl.RelativeTimeFormat(code, { numeric: 'auto' });
  const phrases = UNITS.flatMap((unit) =>
    [-2, -1, 0, 1, 2].map((count) => [format.format(count, unit).toLowerCase(), [unit, count]] as const),
  );
  return new Map(phrases.filter(([phrase]) => !/\d/.test(phrase)));
}

/** The longest first: alternatives are tried in their order. */
function anyOf(phrases: readonly string[]): string {
  const longestFirst = [...phrases].sort((a, b) => b.length - a.length);
  return longestFirst.join('|').replaceAll('’', "['’]");
}

function inflected(name: string): string {
  return name.length < MIN_INFLECTED ? name : String.raw`${name.slice(0, -1)}\p{L}{0,${MAX_ENDING}}`;
}
