import { InvalidArgumentError } from 'commander';
import { parseTimestamp, toTimestamp } from '../../lib/clock.ts';
import { type LocalDay, localDay, startOfDay } from './local-day.ts';

/** Which way a bare duration like `30d` points: `--after 30d` is in the past, `--expires 30d` in the future. */
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
const DURATION = /^(in )?(\d{1,5}|an?|one) ?([a-z]+)( ago)?$/;

/**
 * Parses a typed time to an RFC 3339 timestamp: RFC 3339 itself, `2026-05-01`, `2026-05-01 14:00` (local), `today`,
 * `yesterday`, `tomorrow`, `3 weeks ago`, `in 2 days` or `30d`. Days begin at local midnight. Throws commander's
 * `InvalidArgumentError` for anything else.
 */
export function parseTime(text: string, nowMs: number, direction: TimeDirection): string {
  const epochMs = parseInstant(text.trim().toLowerCase(), nowMs, direction);
  if (epochMs !== undefined && !Number.isNaN(epochMs)) return toTimestamp(epochMs);
  throw new InvalidArgumentError(
    'Expected a time such as 2026-05-01, "2026-05-01 14:00", yesterday, "3 weeks ago", "in 2 days" or 2026-05-01T14:00:00Z.',
  );
}

function parseInstant(text: string, nowMs: number, direction: TimeDirection): number | undefined {
  const days = { yesterday: -1, today: 0, tomorrow: 1 }[text];
  if (days !== undefined) return shiftedMidnight(nowMs, { days });
  if (text === 'now') return nowMs;
  const local = LOCAL_TIME.exec(text);
  if (local) return parseLocalInstant(local[1]!, local[2] ?? '00:00');
  if (/^\d{4}-\d\d-\d\dt.*(z|[+-]\d\d:\d\d)$/.test(text)) return parseTimestamp(text.toUpperCase());
  const duration = DURATION.exec(text);
  if (!duration) return undefined;
  const [, ahead, amount = '', unitText = '', ago] = duration;
  const count = /^\d/.test(amount) ? Number(amount) : 1;
  const forward = ahead ? true : ago ? false : direction === 'future';
  return ahead && ago ? undefined : shiftBy(nowMs, forward ? count : -count, unitText);
}

function shiftBy(nowMs: number, count: number, unitText: string): number | undefined {
  const unit = UNITS.find(([spelling]) => spelling.test(unitText))?.[1];
  if (unit === undefined) return undefined;
  if (unit !== 'month' && unit !== 'year') return nowMs + count * UNIT_MS[unit];
  const timeOfDayMs = nowMs - startOfDay(localDay(nowMs));
  return shiftedMidnight(nowMs, { months: unit === 'year' ? 12 * count : count }) + timeOfDayMs;
}

function shiftedMidnight(nowMs: number, { days = 0, months = 0 }: { days?: number; months?: number }): number {
  // Counting from noon lands on the right day across daylight saving changes.
  const noonMs = startOfDay(localDay(nowMs)) + 12 * UNIT_MS.hour + days * UNIT_MS.day;
  const { year, month, day }: LocalDay = localDay(noonMs);
  const monthsSinceZero = year * 12 + (month - 1) + months;
  return startOfDay({ year: Math.floor(monthsSinceZero / 12), month: (monthsSinceZero % 12) + 1, day });
}

/** Parses a local date and time (ECMA-262: no offset means local). Returns `undefined` for a day the month lacks. */
function parseLocalInstant(date: string, time: string): number | undefined {
  const epochMs = Date.parse(`${date}T${time}`);
  const { year, month, day } = localDay(epochMs || 0);
  const [wantedYear, wantedMonth, wantedDay] = date.split('-').map(Number);
  return year === wantedYear && month === wantedMonth && day === wantedDay ? epochMs : undefined;
}
