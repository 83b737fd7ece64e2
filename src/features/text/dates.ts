import { casual, type ParsedResult } from 'chrono-node/en';
import { toDate } from '../../lib/clock.ts';

/** Days since the epoch (UTC), both included. */
export type DayRange = readonly [from: number, to: number];

/** A date that a question names: a stretch of days, or a day or month of whichever year. */
export type QueryDate = { range: DayRange } | { month: number; day: number | undefined };

export const DAY_MS = 86_400_000;
/** Only where one of these stands the text is parsed: most texts name no date, and parsing takes its time. */
const HINT =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|past|ago|weekend|this (?:week|month|year|morning|afternoon|evening|spring|summer|fall|autumn|winter)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|(?:19|20)\d\d|\d{1,2}[/.-]\d{1,2})/gi;
/** What is read around a hint, and how many hints of one text: a long text costs no more than these. */
const AROUND_CHARACTERS = 40;
const MOST_HINTS = 8;
const MOST_DATES = 8;
const LONGEST_DAYS = 62;
const YEAR = /\b(?:19|20)\d\d\b/g;

/** The days that a text tells of, relative ones ("last Friday") resolved against the day on which it was said. */
export function datesIn(text: string, saidAtMs: number): DayRange[] {
  const ranges = snippetsOf(text).flatMap((snippet) => {
    const found = parse(snippet, saidAtMs);
    return [...found.map((one) => rangeOf(one)), ...yearsBeside(found, snippet)];
  });
  const distinct = new Map(ranges.map((range) => [range.join(), range]));
  return [...distinct.values()].slice(0, MOST_DATES);
}

/** The dates that a question names. */
export function queryDates(question: string, nowMs: number): QueryDate[] {
  return snippetsOf(question).flatMap((snippet) => {
    const found = parse(snippet, nowMs);
    const asked = found.flatMap((one): QueryDate[] => {
      const yearless = one.start.isCertain('month') && !one.start.isCertain('year');
      if (!yearless) return [{ range: rangeOf(one) }];
      return [one.start, one.end ?? []].flat().map((each) => {
        return { month: each.get('month')!, day: each.isCertain('day') ? each.get('day')! : undefined };
      });
    });
    return [...asked, ...yearsBeside(found, snippet).map((range) => ({ range }))];
  });
}

/** Days between what is asked for and a stretch of days; 0 where they meet. */
export function daysApart(asked: QueryDate, [from, to]: DayRange): number {
  if ('range' in asked) return Math.max(0, asked.range[0] - to, from - asked.range[1]);
  const year = toDate(from * DAY_MS).getUTCFullYear();
  const gaps = [year - 1, year, year + 1].map((one) => {
    const [first, last] = inYear(asked, one);
    return Math.max(0, first - to, from - last);
  });
  return Math.min(...gaps);
}

/** The months of stretches that are no longer than two; a longer one is of no one month. */
export function monthsOf(ranges: readonly DayRange[]): { year: number; month: number }[] {
  const months = ranges
    .filter(([from, to]) => to - from <= LONGEST_DAYS)
    .flatMap(([from, to]) => {
      const [first, last] = [monthCountOf(from), monthCountOf(to)];
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
  return [...new Set(months)].map((count) => ({
    year: Math.floor(count / 12),
    month: count - 12 * Math.floor(count / 12) + 1,
  }));
}

function monthCountOf(day: number): number {
  const date = toDate(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function inYear({ month, day }: { month: number; day: number | undefined }, year: number): DayRange {
  if (day !== undefined) return [dayOf(year, month, day), dayOf(year, month, day)];
  return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
}

/** The text around each hint; neighbouring ones in one. */
function snippetsOf(text: string): string[] {
  const snippets: { from: number; to: number }[] = [];
  let hints = 0;
  for (const { index, 0: hint } of text.matchAll(HINT)) {
    hints += 1;
    if (hints > MOST_HINTS) break;
    const [from, to] = [Math.max(0, index - AROUND_CHARACTERS), index + hint.length + AROUND_CHARACTERS];
    const last = snippets.at(-1);
    if (last && from <= last.to) last.to = to;
    else snippets.push({ from, to });
  }
  return snippets.map(({ from, to }) => text.slice(from, to));
}

function parse(text: string, referenceMs: number): ParsedResult[] {
  return casual.parse(text, { instant: toDate(referenceMs), timezone: 0 });
}

/** As wide as the words are: a day, a weekend, a week, a month, a year. */
function rangeOf({ start, end, text }: Pick<ParsedResult, 'start' | 'end' | 'text'>): DayRange {
  const [year, month, day] = [start.get('year')!, start.get('month')!, start.get('day')!];
  const at = dayOf(year, month, day);
  if (end) return [at, Math.max(at, dayOf(end.get('year')!, end.get('month')!, end.get('day')!))];
  if (/weekend/i.test(text)) return [at - 1, at + 1];
  if (/week/i.test(text)) return [at - 3, at + 3];
  if (/month/i.test(text)) return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
  if (/year/i.test(text)) return [dayOf(year, 1, 1), dayOf(year, 12, 31)];
  if (start.isCertain('day') || start.isCertain('weekday')) return [at, at];
  if (start.isCertain('month')) return [dayOf(year, month, 1), dayOf(year, month + 1, 0)];
  return start.isCertain('year') ? [dayOf(year, 1, 1), dayOf(year, 12, 31)] : [at, at];
}

/** The years that are no part of a date. */
function yearsBeside(found: readonly ParsedResult[], snippet: string): DayRange[] {
  const rest = found.reduce((left, { text }) => left.replace(text, ' '), snippet);
  return [...rest.matchAll(YEAR)].map(([year]) => [dayOf(Number(year), 1, 1), dayOf(Number(year), 12, 31)]);
}

function dayOf(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month - 1, day) / DAY_MS);
}
