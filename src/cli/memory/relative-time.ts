import { dateFormat, dayNumber, formatClockTime, localDay } from './local-day.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MONTH_AND_YEAR = dateFormat('en-GB', { month: 'long', year: 'numeric' });

/** Formats an instant as a local date and time: `30 Oct 2026, 09:12`. */
export const formatExactTime = dateFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats an instant relative to now: `just now`, `today 14:05`, `yesterday 09:12`, `3 weeks ago`, `in 5 days`. */
export function formatRelativeTime(epochMs: number, nowMs: number): string {
  const aheadMs = epochMs - nowMs;
  const days = dayNumber(localDay(epochMs)) - dayNumber(localDay(nowMs));
  if (Math.abs(aheadMs) < MINUTE_MS) return 'just now';
  if (Math.abs(aheadMs) < HOUR_MS) return formatDuration(Math.round(aheadMs / MINUTE_MS) || 1, 'minute');
  if (days === 0) return `today ${formatClockTime(epochMs)}`;
  if (days === -1) return `yesterday ${formatClockTime(epochMs)}`;
  if (days === 1) return `tomorrow ${formatClockTime(epochMs)}`;
  const distance = Math.abs(days);
  const sign = Math.sign(days);
  if (distance < 14) return formatDuration(days, 'day');
  if (distance < 60) return formatDuration(sign * Math.round(distance / 7), 'week');
  if (distance < 365) return formatDuration(sign * Math.round(distance / 30.44), 'month');
  return MONTH_AND_YEAR(epochMs);
}

/** Adds the exact local time: `3 weeks ago (30 Oct 2026, 09:12)`. */
export function formatTimeWithDate(epochMs: number, nowMs: number): string {
  return `${formatRelativeTime(epochMs, nowMs)} (${formatExactTime(epochMs)})`;
}

function formatDuration(count: number, unit: string): string {
  const amount = `${Math.abs(count)} ${unit}${Math.abs(count) === 1 ? '' : 's'}`;
  return count < 0 ? `${amount} ago` : `in ${amount}`;
}
