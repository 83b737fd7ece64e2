import { parseTimestamp, systemClock, toDate } from '../lib/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Dates use the reader's preferred locale of the page's language; of English, en-GB if there is none. */
const LANGUAGE = document.documentElement.lang;
const LOCALE =
  navigator.languages.find((locale) => locale.split('-')[0] === LANGUAGE) ?? (LANGUAGE === 'en' ? 'en-GB' : LANGUAGE);
const clockTime = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit' });
const plainClockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', year: 'numeric' });
const dateInYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long' });
const briefDate = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const briefDateOfYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });
const briefUtcDate = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const briefUtcDateOfYear = new Intl.DateTimeFormat(LOCALE, {
  ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
});
const briefUtcMonth = new Intl.DateTimeFormat(LOCALE, { month: 'short', year: 'numeric', timeZone: 'UTC' });
const briefUtcMonthName = new Intl.DateTimeFormat(LOCALE, { month: 'short', timeZone: 'UTC' });
const briefUtcWeekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'long', timeStyle: 'short' });
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
const weekdayInYear = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long' });
const month = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric' });
const full = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const counted = new Intl.NumberFormat(LOCALE);

export function formatNumber(count: number): string {
  return counted.format(count);
}

const plural = new Intl.PluralRules(LANGUAGE);
const { pluralCategories } = plural.resolvedOptions();
const categories = (['zero', 'one', 'two', 'few', 'many', 'other'] as const).filter((one) =>
  pluralCategories.includes(one),
);

/** `1 memory`, `2 memories`. A translation may have a form for each number that its language tells apart, in their order. */
export function formatCount(count: number, ...forms: [one: string, many: string, ...more: string[]]): string {
  return `${formatNumber(count)} ${forms[categories.indexOf(plural.select(count))] ?? forms.at(-1)}`;
}

/** Formats a past instant: `12 minutes ago`, `today at 14:05`, `3 days ago`, `12 March 2025`. */
export function formatPast(epochMs: number, nowMs: number = systemClock.nowMs()): string {
  const ago = nowMs - epochMs;
  if (ago < 0) return `on ${date.format(epochMs)}`;
  if (ago < MINUTE) return 'just now';
  if (ago < HOUR) return relative.format(-Math.floor(ago / MINUTE), 'minute');
  const today = date.format(nowMs);
  if (date.format(epochMs) === today) return `today at ${clockTime.format(epochMs)}`;
  if (date.format(epochMs + DAY) === today) return `yesterday at ${clockTime.format(epochMs)}`;
  if (ago < 14 * DAY) return relative.format(-Math.max(2, Math.round(ago / DAY)), 'day');
  return date.format(epochMs);
}

/** Formats an instant for a narrow column: `14:05` today, `12 Mar` this year, `12 Mar 2025` otherwise. */
export function formatBrief(epochMs: number, nowMs: number = systemClock.nowMs()): string {
  if (date.format(epochMs) === date.format(nowMs)) return clockTime.format(epochMs);
  const year = toDate(epochMs).getFullYear();
  return (year === toDate(nowMs).getFullYear() ? briefDate : briefDateOfYear).format(epochMs);
}

/** Formats a future instant: `in 5 hours, at 01:00`, `in 11 days, on 1 December`. */
export function formatUpcoming(epochMs: number, nowMs: number = systemClock.nowMs()): string {
  const left = Math.max(0, epochMs - nowMs);
  if (left < HOUR) {
    return `${relative.format(Math.max(1, Math.ceil(left / MINUTE)), 'minute')}, at ${formatClockTime(epochMs)}`;
  }
  if (left < 2 * DAY) return `${relative.format(Math.round(left / HOUR), 'hour')}, at ${formatClockTime(epochMs)}`;
  return `${relative.format(Math.round(left / DAY), 'day')}, on ${dateInYear.format(epochMs)}`;
}

export function formatClockTime(epochMs: number): string {
  return plainClockTime.format(epochMs) === '00:00' ? 'midnight' : clockTime.format(epochMs);
}

/** Formats a UTC day, `YYYY-MM-DD`, as `20 November`. */
export function formatDay(day: string): string {
  const noon = parseTimestamp(`${day}T12:00:00Z`);
  return noon === undefined
    ? day
    : new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(noon);
}

/** Formats a UTC day for an axis: `12 Mar` this year, `12 Mar 2025` otherwise. */
export function formatBriefDay(epochMs: number, nowMs: number = systemClock.nowMs()): string {
  const isThisYear = toDate(epochMs).getUTCFullYear() === toDate(nowMs).getUTCFullYear();
  return (isThisYear ? briefUtcDate : briefUtcDateOfYear).format(epochMs);
}

/** The name of the month of a UTC day, `YYYY-MM-DD`, for an axis: `Mar`. */
export function formatMonthName(day: string): string {
  return briefUtcMonthName.format(parseTimestamp(`${day}T12:00:00Z`)!);
}

/** The name of a day of the week for an axis, from 1, Monday, to 7: `Mon`. */
export function formatWeekdayName(day: number): string {
  // 1 January 2024 was a Monday.
  return briefUtcWeekday.format(Date.UTC(2024, 0, day));
}

/** Formats a UTC month for an axis: `Mar 2025`. */
export function formatBriefMonth(epochMs: number): string {
  return briefUtcMonth.format(epochMs);
}

/** `12 March 2026 at 14:05`. */
export function formatMoment(epochMs: number): string {
  return moment.format(epochMs);
}

/** `Thursday 12 March 2026`. */
export function formatWeekday(epochMs: number): string {
  return weekday.format(epochMs);
}

/** `Today`, `Yesterday`, or `Thursday 12 March`. */
export function formatDayName(epochMs: number, nowMs: number = systemClock.nowMs()): string {
  const day = date.format(epochMs);
  if (day === date.format(nowMs)) return 'Today';
  return day === date.format(nowMs - DAY) ? 'Yesterday' : weekdayInYear.format(epochMs);
}

/** `March 2026`. */
export function formatMonth(epochMs: number): string {
  return month.format(epochMs);
}

/** The exact instant, for tooltips. */
export function formatExact(epochMs: number): string {
  return full.format(epochMs);
}

/** `0.42` as `42%`. */
export function formatShare(share: number): string {
  return new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 }).format(share);
}

/** A weight or the like with two decimals: `−1.13`. */
export function formatFigure(value: number): string {
  return value.toFixed(2).replace('-', '−');
}

/** A probability as a percentage that claims no certainty: `42%`, `< 1%`, `> 99%`. */
export function formatProbability(probability: number): string {
  if (probability < 0.01) return '< 1%';
  return probability > 0.99 ? '> 99%' : formatShare(probability);
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const SUFFIXES: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** `1` as `1st`, `12` as `12th`. */
export function formatOrdinal(rank: number): string {
  return `${formatNumber(rank)}${SUFFIXES[ordinals.select(rank)] ?? 'th'}`;
}

/** `48` milliseconds as `48 ms`, `1,500` as `1.5 s`. */
export function formatMs(ms: number): string {
  if (ms > 0 && ms < 1) return '< 1 ms';
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
