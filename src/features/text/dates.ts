import { casual, type ParsedResult } from 'chrono-node/en';
import { toDate } from '../../lib/clock.ts';

/** Days since the Unix epoch in UTC, both inclusive. */
export type DayRange = readonly [from: number, to: number];

/** A date in a query: a range of days, or a day or month of any year. */
export type QueryDate = { range: DayRange } | { month: number; day: number | undefined };

export const DAY_MS = 86_400_000;
/** Only text around one of these is parsed: most texts have no date, and parsing is slow. */
const HINT =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|past|ago|weekend|this (?:week|month|year|morning|afternoon|evening|spring|summer|fall|autumn|winter)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|(?:19|20)\d\d|\d{1,2}[/.-]\d{1,2})/gi;
/** Characters read around a hint, and hints read per text: bounds the cost of a long text. */
const HINT_MARGIN = 40;
const MAX_HINTS = 8;
const MAX_DATES = 8;
const MAX_RANGE_DAYS = 62;
const YEAR = /\b(?:19|20)\d\d\b/g;

/** The dates a text mentions, relative ones ("last Friday") resolved against the day it was written. */
export function datesIn(text: string, writtenAtMs: number): DayRange[] {
  const ranges = snippetsOf(text).flatMap((snippet) => {
    const found = parse(snippet, writtenAtMs);
    return [...found.map((date) => rangeOf(date)), ...remainingYears(found, snippet)];
  });
  const distinct = new Map(ranges.map((range) => [range.join(), range]));
  return [...distinct.values()].slice(0, MAX_DATES);
}

/** The dates a query asks for. */
export function queryDates(query: string, nowMs: number): QueryDate[] {
  return snippetsOf(query).flatMap((snippet) => {
    const found = parse(snippet, nowMs);
    const dates = found.flatMap((date): QueryDate[] => {
      const isYearless = date.start.isCertain('month') && !date.start.isCertain('year');
      if (!isYearless) return [{ range: rangeOf(date) }];
      return [date.start, date.end ?? []].flat().map((endpoint) => {
        return { month: endpoint.get('month')!, day: endpoint.isCertain('day') ? endpoint.get('day')! : undefined };
      });
    });
    return [...dates, ...remainingYears(found, snippet).map((range) => ({ range }))];
  });
}

/** Days between the date asked for and a range; 0 where they overlap. */
export function daysApart(date: QueryDate, [from, to]: DayRange): number {
  if ('range' in date) return Math.max(0, date.range[0] - to, from - date.range[1]);
  const year = toDate(from * DAY_MS).getUTCFullYear();
  const gaps = [year - 1, year, year + 1].map((candidate) => {
    const [first, last] = inYear(date, candidate);
    return Math.max(0, first - to, from - last);
  });
  return Math.min(...gaps);
}

/** The months that the ranges touch. A range longer than two months is not specific enough and is left out. */
export function monthsOf(ranges: readonly DayRange[]): { year: number; month: number }[] {
  const months = ranges
    .filter(([from, to]) => to - from <= MAX_RANGE_DAYS)
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

/** The text around each hint, merged where it overlaps. */
function snippetsOf(text: string): string[] {
  const snippets: { from: number; to: number }[] = [];
  let hints = 0;
  for (const { index, 0: hint } of text.matchAll(HINT)) {
    hints += 1;
    if (hints > MAX_HINTS) break;
    const [from, to] = [Math.max(0, index - HINT_MARGIN), index + hint.length + HINT_MARGIN];
    const last = snippets.at(-1);
    if (last && from <= last.to) last.to = to;
    else snippets.push({ from, to });
  }
  return snippets.map(({ from, to }) => text.slice(from, to));
}

function parse(text: string, referenceMs: number): ParsedResult[] {
  return casual.parse(text, { instant: toDate(referenceMs), timezone: 0 });
}

/** The range is as wide as the wording: a day, a weekend, a week, a month or a year. */
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

/** Four-digit years outside the dates that were found. */
function remainingYears(found: readonly ParsedResult[], snippet: string): DayRange[] {
  const rest = found.reduce((left, { text }) => left.replace(text, ' '), snippet);
  return [...rest.matchAll(YEAR)].map(([year]) => [dayOf(Number(year), 1, 1), dayOf(Number(year), 12, 31)]);
}

function dayOf(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month - 1, day) / DAY_MS);
}
