// Frozen copy of the date extraction this migration landed with; later changes to src must not alter it.
import { casual, type ParsedResult } from 'chrono-node/en';

export type DayRange = readonly [from: number, to: number];

export const DAY_MS = 86_400_000;
const HINT =
  /\b(?:yesterday|today|tonight|tomorrow|last|next|past|ago|weekend|this (?:week|month|year|morning|afternoon|evening|spring|summer|fall|autumn|winter)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|(?:19|20)\d\d|\d{1,2}[/.-]\d{1,2})/gi;
const AROUND_CHARACTERS = 40;
const MOST_HINTS = 8;
const MOST_DATES = 8;
const LONGEST_DAYS = 62;
const YEAR = /\b(?:19|20)\d\d\b/g;

export function datesIn(text: string, saidAtMs: number): DayRange[] {
  const ranges = snippetsOf(text).flatMap((snippet) => {
    const found = parse(snippet, saidAtMs);
    return [...found.map((one) => rangeOf(one)), ...yearsBeside(found, snippet)];
  });
  const distinct = new Map(ranges.map((range) => [range.join(), range]));
  return [...distinct.values()].slice(0, MOST_DATES);
}

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
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

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
  return casual.parse(text, { instant: new Date(referenceMs), timezone: 0 });
}

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

function yearsBeside(found: readonly ParsedResult[], snippet: string): DayRange[] {
  const rest = found.reduce((left, { text }) => left.replace(text, ' '), snippet);
  return [...rest.matchAll(YEAR)].map(([year]) => [dayOf(Number(year), 1, 1), dayOf(Number(year), 12, 31)]);
}

function dayOf(year: number, month: number, day: number): number {
  return Math.floor(Date.UTC(year, month - 1, day) / DAY_MS);
}
