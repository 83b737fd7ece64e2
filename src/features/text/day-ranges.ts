import { toDate } from '../../lib/clock.ts';

/** Days since the Unix epoch in UTC, both inclusive. */
export type DayRange = readonly [from: number, to: number];

export const DAY_MS = 86_400_000;
const MAX_RANGE_DAYS = 62;

/** The days an item is about: its own, and those its text mentions, as JSON. */
export function daysOf(atMs: number, untilMs: number, dates: string | null): DayRange[] {
  const mentioned = dates === null ? [] : (JSON.parse(dates) as DayRange[]);
  return [[Math.floor(atMs / DAY_MS), Math.floor(untilMs / DAY_MS)], ...mentioned];
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
