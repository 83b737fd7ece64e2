import { InvalidArgumentError } from 'commander';
import { parseTimestamp, toTimestamp } from '../../lib/clock.ts';
import { type LocalDay, localDay, startOfDay } from './local-day.ts';

/** Which way a bare span like `30d` points: `--after 30d` is in the past, `--expires 30d` in the future. */
export type TimeDirection = 'past' | 'future';

const UNIT_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const;
const UNITS: [RegExp, keyof typeof UNIT_MS | 'month' | 'year'][] = [
  [/^m(in(ute)?s?)?$/, 'minute'],
  [/^h(ours?|rs?)?$/, 'hour'],
  [/^d(ays?)?$/, 'day'],
  [/^w(eeks?)?$/, 'week'],
  [/^mo(nths?)?$/, 'month'],
  [/^y(ears?|rs?)?$/, 'year'],
];
const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d(?::\d\d)?))?$/;
const SPAN = /^(in )?(\d{1,5}|an?|one) ?([a-z]+)( ago)?$/;

/**
 * The instant that a person typed, as the interface takes it: RFC 3339, `2026-05-01`, `2026-05-01 14:00` (local),
 * `today`, `yesterday`, `tomorrow`, `3 weeks ago`, `in 2 days`, `30d`. Days begin at local midnight. Throws
 * commander's `InvalidArgumentError` for anything else.
 */
export function parseTime(text: string, nowMs: number, direction: TimeDirection): string {
  const epochMs = instantOf(text.trim().toLowerCase(), nowMs, direction);
  if (epochMs !== undefined && !Number.isNaN(epochMs)) return toTimestamp(epochMs);
  throw new InvalidArgumentError(
    'Write a time like 2026-05-01, "2026-05-01 14:00", yesterday, "3 weeks ago", "in 2 days" or 2026-05-01T14:00:00Z.',
  );
}

function instantOf(text: string, nowMs: number, direction: TimeDirection): number | undefined {
  const days = { yesterday: -1, today: 0, tomorrow: 1 }[text];
  if (days !== undefined) return shiftedDay(nowMs, { days });
  if (text === 'now') return nowMs;
  const local = LOCAL_TIME.exec(text);
  if (local) return localInstant(local[1]!, local[2] ?? '00:00');
  if (/^\d{4}-\d\d-\d\dt.*(z|[+-]\d\d:\d\d)$/.test(text)) return parseTimestamp(text.toUpperCase());
  const span = SPAN.exec(text);
  if (!span) return undefined;
  const [, ahead, amount = '', unitText = '', ago] = span;
  const count = /^\d/.test(amount) ? Number(amount) : 1;
  const forward = ahead ? true : ago ? false : direction === 'future';
  return ahead && ago ? undefined : moved(nowMs, forward ? count : -count, unitText);
}

function moved(nowMs: number, count: number, unitText: string): number | undefined {
  const unit = UNITS.find(([spelling]) => spelling.test(unitText))?.[1];
  if (unit === undefined) return undefined;
  if (unit !== 'month' && unit !== 'year') return nowMs + count * UNIT_MS[unit];
  const timeOfDayMs = nowMs - startOfDay(localDay(nowMs));
  return shiftedDay(nowMs, { months: unit === 'year' ? 12 * count : count }) + timeOfDayMs;
}

function shiftedDay(nowMs: number, { days = 0, months = 0 }: { days?: number; months?: number }): number {
  // Noon is the same day on both sides of a time change.
  const noonMs = startOfDay(localDay(nowMs)) + 12 * UNIT_MS.hour + days * UNIT_MS.day;
  const { year, month, day }: LocalDay = localDay(noonMs);
  const monthsSinceZero = year * 12 + (month - 1) + months;
  return startOfDay({ year: Math.floor(monthsSinceZero / 12), month: (monthsSinceZero % 12) + 1, day });
}

/** Without an offset, a date and time is read as local (ECMA-262); a day that the month has not is none. */
function localInstant(date: string, time: string): number | undefined {
  const epochMs = Date.parse(`${date}T${time}`);
  const { year, month, day } = localDay(epochMs || 0);
  const [wantedYear, wantedMonth, wantedDay] = date.split('-').map(Number);
  return year === wantedYear && month === wantedMonth && day === wantedDay ? epochMs : undefined;
}
