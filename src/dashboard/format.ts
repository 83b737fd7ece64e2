import { parseTimestamp, systemClock } from '../lib/clock.ts';
import { ApiError } from './api.ts';
import { element } from './dom.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The page is in English. Dates use the reader's preferred English locale, or en-GB. */
const LOCALE = navigator.languages.find((language) => language.startsWith('en')) ?? 'en-GB';
const clockTime = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit' });
const plainClockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const exactClockTime = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
const date = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', year: 'numeric' });
const dateInYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long' });
const full = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const counted = new Intl.NumberFormat(LOCALE);

export function formatNumber(count: number): string {
  return counted.format(count);
}

/** `1 memory`, `2 memories`. */
export function formatCount(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
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

/** Creates a `<time>` with relative text and the exact instant as its tooltip. */
export function timeElement(timestamp: string): HTMLElement {
  const epochMs = parseTimestamp(timestamp);
  if (epochMs === undefined) return element('span', {}, timestamp);
  return element('time', { datetime: timestamp, title: full.format(epochMs) }, formatPast(epochMs));
}

/** Describes an error and what to do next, in one or two sentences. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something went wrong. Reload the page and try again.';
  if (error.kind === 'limited') {
    const seconds = error.retryAfterSeconds ?? 60;
    const at = exactClockTime.format(systemClock.nowMs() + seconds * 1000);
    return `Too many requests. Try again in ${formatCount(seconds, 'second', 'seconds')}, at ${at}.`;
  }
  if (error.kind === 'quota') {
    const resetsAtMs = error.resetsAt ? parseTimestamp(error.resetsAt) : undefined;
    return resetsAtMs === undefined ? error.message : `Quota used up. It resets ${formatUpcoming(resetsAtMs)}.`;
  }
  if (error.kind === 'unreachable') return `${error.message} Check your connection and try again.`;
  return error.message;
}
