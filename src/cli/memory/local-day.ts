import { toDate } from '../../lib/clock.ts';

/** A calendar day in the local time zone. */
export interface LocalDay {
  year: number;
  /** 1 to 12. */
  month: number;
  day: number;
}

const DAY_MS = 86_400_000;
const HOUR_MINUTE_SECOND = dateFormat('en-GB', { timeStyle: 'medium', hourCycle: 'h23' });

/** Creates a date format on first use, because loading the locale data takes longer than most commands. */
export function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): (epochMs: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (epochMs) => {
    format ??= new Intl.DateTimeFormat(locale, options);
    return format.format(epochMs);
  };
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}

export function localDay(epochMs: number): LocalDay {
  const date = toDate(epochMs);
  return { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
}

/** Days since 1970-01-01, so that days can be counted across daylight saving changes. */
export function dayNumber({ year, month, day }: LocalDay): number {
  return Math.round(Date.UTC(year, month - 1, day) / DAY_MS);
}

/** Returns the first instant of a day. A day past the end of the month is clamped to its last. */
export function startOfDay({ year, month, day }: LocalDay): number {
  const lastDay = dayNumber({ year: month === 12 ? year + 1 : year, month: (month % 12) + 1, day: 1 });
  const length = lastDay - dayNumber({ year, month, day: 1 });
  // ECMA-262 parses a date and time without an offset as local.
  return Date.parse(`${digits(year, 4)}-${digits(month, 2)}-${digits(Math.min(day, length), 2)}T00:00:00`);
}

/** `14:05`. */
export function formatClockTime(epochMs: number): string {
  const date = toDate(epochMs);
  return `${digits(date.getHours(), 2)}:${digits(date.getMinutes(), 2)}`;
}

/** `14:05:09`. */
export function formatSeconds(epochMs: number): string {
  return HOUR_MINUTE_SECOND(epochMs);
}
