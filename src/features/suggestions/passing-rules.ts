import { toDate } from '../../lib/clock.ts';
import { NUMBER_WORDS } from '../languages/english.ts';
import { DAY_MS } from '../text/day-ranges.ts';
import { datesIn } from '../traits/dates.ts';
import {
  BEGINS,
  BEGINS_WITH_TIME,
  DUE,
  ENDS,
  EVENTS,
  HABITUAL,
  KEEPS,
  PASSING,
  PAST,
  PLANNED,
  REGULAR_WEEK,
  ROUTINE,
  TIMES,
  UNIT_DAYS,
  WEEKDAYS,
  WEEKLY,
  withoutAbsence,
} from './english-times.ts';

/** When a statement ceases to hold. */
export interface Passing {
  /** The first moment, in epoch milliseconds, at which it no longer holds: the end of its last day in UTC. */
  endsMs: number;
  /** The share of such suggestions that are right; see docs/suggestions.md. */
  confidence: number;
}

/** A time that a statement names: its last day, and whether it can only be meant once. */
interface NamedTime {
  lastDay: number;
  isOnce: boolean;
}

/** Longer texts say several things, of which only one has passed. */
const MAX_CHARACTERS = 240;
/** What is further away is more often a fact about that time than a matter that passes. */
const MAX_DAYS_AHEAD = 400;
/** A day without a year, when this far ahead, may be the one that has just passed. */
const MAX_YEARLESS_DAYS = 270;
const MAX_TIMES = 2;
/** The first kinds of `KEEPS`, which hold for what lasts until a time, too: recurs, is over, hangs on something. */
const LASTING = 7;
/** Later times are mistakes, and near the last that a date can be. */
const MAX_SAID_MS = Date.UTC(3000, 0, 1);
const DAY_OF_EPOCH = 4;
const ABBREVIATIONS = /\b(a|p)\.m\.|\b(Dr|Mr|Mrs|Ms|St|approx|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\./g;

/**
 * Finds when a statement about something that happens once has passed: "the meeting is on Friday", "in Lisbon until 14 March".
 * Undefined for what recurs, lasts, is history, or hangs on something. Where it is open how a time is meant, it is the
 * later one. The rules know English.
 */
export function passingOf(text: string, saidAtMs: number): Passing | undefined {
  if (text.length > MAX_CHARACTERS || !(saidAtMs >= 0 && saidAtMs < MAX_SAID_MS)) return undefined;
  const statement = withoutAbsence(text.trim().replace(ABBREVIATIONS, '$1$2').replace(/\s+/g, ' '));
  // What lasts until a time may say why, and what not to do till then.
  const keeps = ENDS.test(statement) ? KEEPS.slice(0, LASTING) : KEEPS;
  if ([...keeps, PAST, BEGINS].some((pattern) => pattern.test(statement))) return undefined;
  const saidDay = Math.floor(saidAtMs / DAY_MS);
  const times = timesIn(statement, saidDay);
  if (times === undefined || times.length === 0 || times.length > MAX_TIMES) return undefined;
  const lastDay = Math.max(...times.map((time) => time.lastDay));
  if (!(lastDay >= saidDay && lastDay <= saidDay + MAX_DAYS_AHEAD)) return undefined;
  const [clause] = statement.split(/[,;:]\s/);
  const confidence = confidenceIn(
    timesIn(clause!, saidDay)?.length === times.length ? clause! : statement,
    times.some(({ isOnce }) => isOnce),
  );
  return confidence === undefined ? undefined : { endsMs: (lastDay + 1) * DAY_MS, confidence };
}

/** How sure it is that a statement with a time is about something that happens once. */
function confidenceIn(statement: string, isOnce: boolean): number | undefined {
  if (
    !isOnce &&
    (ROUTINE.test(statement) || REGULAR_WEEK.test(statement) || HABITUAL.test(statement) || isWeekly(statement))
  )
    return undefined;
  if (ENDS.test(statement)) return 0.8;
  if (EVENTS.test(statement) || DUE.test(statement)) return isOnce ? 0.8 : 0.7;
  if (PASSING.test(statement)) return 0.7;
  if (isOnce && BEGINS_WITH_TIME.test(statement)) return 0.7;
  return isOnce && PLANNED.test(statement) ? 0.7 : undefined;
}

/** Whether a day of the week, or a month, may be each one. A deadline for one thing, or what lasts until then, is not. */
function isWeekly(statement: string): boolean {
  return (
    WEEKLY.test(statement) &&
    !ENDS.test(statement) &&
    !/\b(?:is|are) due\b|\bdeadline (?:is|:)|\bdeadline:/i.test(statement)
  );
}

/** Finds the times that a statement names, each once; undefined if one of them cannot be resolved. */
function timesIn(statement: string, saidDay: number): NamedTime[] | undefined {
  const found: NamedTime[] = [];
  let rest = statement;
  for (const { kind, pattern } of TIMES) {
    for (const { groups } of rest.matchAll(pattern)) {
      // "From Monday to Wednesday": the second follows the first.
      const fromDay = kind === 'weekday' ? Math.max(saidDay, found.at(-1)?.lastDay ?? saidDay) : saidDay;
      const time = resolve(kind, groups!, fromDay);
      if (!time) return undefined;
      found.push(time);
    }
    rest = rest.replace(pattern, ' … ');
  }
  return /\b(?:19|20)\d\d\b/.test(rest) ? undefined : found;
}

function resolve(
  kind: (typeof TIMES)[number]['kind'],
  { name = '', count, unit }: Partial<Record<string, string>>,
  saidDay: number,
): NamedTime | undefined {
  const word = name.toLowerCase();
  switch (kind) {
    case 'date':
    case 'month':
      return calendarTime(name, saidDay);
    case 'ordinal':
      return ordinalDay(Number(name), saidDay);
    case 'weekday':
      return { lastDay: saidDay + daysUntil(word, saidDay), isOnce: false };
    case 'nextWeekday':
      return { lastDay: endOf('week', false, saidDay) + ((WEEKDAYS.indexOf(word) + 6) % 7) + 1, isOnce: true };
    case 'span':
      return { lastDay: saidDay + numberOf(count!) * UNIT_DAYS[unit!.toLowerCase()]! + slackOf(unit!), isOnce: true };
    case 'of':
      return { lastDay: endOf(word, count !== undefined, saidDay), isOnce: true };
    case 'day':
      return { lastDay: saidDay + (word.startsWith('day after') ? 2 : word === 'tomorrow' ? 1 : 0), isOnce: true };
  }
}

/** A day or month of the calendar; without a year, the next one. */
function calendarTime(name: string, saidDay: number): NamedTime | undefined {
  const [range] = datesIn(name, saidDay * DAY_MS);
  if (!range) return undefined;
  const hasYear = /20\d\d/.test(name);
  const lastDay = hasYear || range[1] >= saidDay ? range[1] : yearLater(range[1]);
  const before = hasYear ? lastDay : lastDay - saidDay > 365 ? yearLater(lastDay, -1) : lastDay;
  if (!hasYear && before - saidDay > MAX_YEARLESS_DAYS) return undefined;
  // "Closed in January" may be so each year.
  return { lastDay: before, isOnce: hasYear || /\d/.test(name) };
}

function yearLater(day: number, years = 1): number {
  const date = toDate(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear() + years, date.getUTCMonth(), date.getUTCDate()) / DAY_MS;
}

/** The next day of a month with a number. */
function ordinalDay(number: number, saidDay: number): NamedTime | undefined {
  if (number < 1 || number > 31) return undefined;
  const date = toDate(saidDay * DAY_MS);
  for (let months = 0; months < 3; months += 1) {
    const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, number);
    // Not each month has a 31st.
    if (day / DAY_MS >= saidDay && toDate(day).getUTCDate() === number) return { lastDay: day / DAY_MS, isOnce: true };
  }
  return undefined;
}

/** Days until the next such day of the week: on that day itself, the week after is meant as well. */
function daysUntil(weekday: string, saidDay: number): number {
  return ((WEEKDAYS.indexOf(weekday) - weekdayOf(saidDay) + 6) % 7) + 1;
}

function weekdayOf(day: number): number {
  return (((day + DAY_OF_EPOCH) % 7) + 7) % 7;
}

function numberOf(count: string): number {
  const word = count.toLowerCase();
  if (word === 'a') return 1;
  if (word === 'couple of' || word === 'few') return 5;
  return NUMBER_WORDS.get(word) ?? Number(word);
}

/** "In two weeks" is some day of that week. */
function slackOf(unit: string): number {
  return { day: 0, week: 3, month: 15 }[unit.toLowerCase()] ?? 0;
}

/** The last day of a week, which ends on Sunday, or of a month, quarter or year. */
function endOf(period: string, isNext: boolean, saidDay: number): number {
  if (period === 'quarter' || period === 'year') {
    const date = toDate(saidDay * DAY_MS);
    const months = period === 'year' ? 12 : 3 * (Math.floor(date.getUTCMonth() / 3) + 1);
    return Date.UTC(date.getUTCFullYear(), months, 0) / DAY_MS;
  }
  if (period === 'month') {
    const date = toDate(saidDay * DAY_MS);
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + (isNext ? 2 : 1), 0) / DAY_MS;
  }
  const sunday = saidDay + ((7 - weekdayOf(saidDay)) % 7);
  return sunday + (isNext ? 7 : 0);
}
