import { toDate, utcDay } from '../../lib/clock.ts';

const DAY_MS = 86_400_000;

/** A day of a calendar plot: its count, its level from 0 (none) to 4 (most), and its column (week) and row (weekday). */
export interface CalendarDay {
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  count: number;
  level: number;
  column: number;
  row: number;
}

/** The start of a UTC day. */
export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** The days of the last `weeks` weeks up to today, in columns that start on Monday. Levels are quartiles of the days with a count. */
export function calendarOf(counts: ReadonlyMap<string, number>, nowMs: number, weeks: number): CalendarDay[] {
  const today = startOfDay(utcDay(nowMs));
  const weekday = (toDate(today).getUTCDay() + 6) % 7;
  const first = today - ((weeks - 1) * 7 + weekday) * DAY_MS;
  const positive = [...counts.values()].filter((count) => count > 0).sort((one, other) => one - other);
  const bounds = [0.25, 0.5, 0.75].map((share) => positive[Math.floor(share * positive.length)] ?? 0);
  const days: CalendarDay[] = [];
  for (let at = first; at <= today; at += DAY_MS) {
    const day = utcDay(at);
    const count = counts.get(day) ?? 0;
    const level = count === 0 ? 0 : 1 + bounds.filter((bound) => count >= bound).length;
    const index = Math.round((at - first) / DAY_MS);
    days.push({ day, count, level, column: Math.floor(index / 7), row: index % 7 });
  }
  return days;
}

/** Counts of the last `days` days up to today, oldest first; days without an entry count 0. */
export function lastDays(counts: ReadonlyMap<string, number>, nowMs: number, days: number): number[] {
  const today = startOfDay(utcDay(nowMs));
  return Array.from({ length: days }, (_, index) => counts.get(utcDay(today - (days - 1 - index) * DAY_MS)) ?? 0);
}
