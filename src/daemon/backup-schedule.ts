import { toDate } from '../lib/clock.ts';

/** When backups are made, in the local time of the machine. */
export type BackupSchedule =
  | { every: 'hour' }
  | { every: 'day'; hour: number; minute: number }
  | { every: 'week'; weekday: number; hour: number; minute: number };

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DEFAULT_TIME = '03:00';

/**
 * Parses `hourly`, `daily 03:00`, `weekly sunday 03:00` or `off`. The time may be left out. Throws an Error that says what is
 * expected.
 */
export function parseBackupSchedule(text: string): BackupSchedule | 'off' {
  const words = text.trim().toLowerCase().split(/\s+/);
  const [kind = '', ...rest] = words;
  if (kind === 'off' && rest.length === 0) return 'off';
  if (kind === 'hourly' && rest.length === 0) return { every: 'hour' };
  const weekday = kind === 'weekly' ? WEEKDAYS.indexOf(rest.shift() ?? '') : 0;
  const [time = DEFAULT_TIME, ...more] = rest;
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (!['daily', 'weekly'].includes(kind) || weekday < 0 || hour === undefined || more.length > 0) {
    throw new Error(`must be "hourly", "daily 03:00", "weekly sunday 03:00" or "off", not ${JSON.stringify(text)}`);
  }
  const at = { hour: Number(hour), minute: Number(minute) };
  return kind === 'daily' ? { every: 'day', ...at } : { every: 'week', weekday, ...at };
}

/** Parses how many backups stay. Throws an Error that says what is expected. */
export function backupCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new Error('must be a whole number from 1 to 9999');
  return Number(text);
}

/** Formats a schedule as `parseBackupSchedule` reads it. */
export function formatBackupSchedule(schedule: BackupSchedule | 'off'): string {
  if (schedule === 'off') return 'off';
  if (schedule.every === 'hour') return 'hourly';
  const time = [schedule.hour, schedule.minute].map((number) => String(number).padStart(2, '0')).join(':');
  return schedule.every === 'day' ? `daily ${time}` : `weekly ${WEEKDAYS[schedule.weekday]} ${time}`;
}

/** The last time at or before `nowMs` that a backup was due: a machine that was off catches up. */
export function lastDueMs(schedule: BackupSchedule, nowMs: number): number {
  return dueMs(schedule, nowMs, 0) <= nowMs ? dueMs(schedule, nowMs, 0) : dueMs(schedule, nowMs, -1);
}

/** The first time after `nowMs` that a backup is due. */
export function nextDueMs(schedule: BackupSchedule, nowMs: number): number {
  return dueMs(schedule, nowMs, 0) > nowMs ? dueMs(schedule, nowMs, 0) : dueMs(schedule, nowMs, 1);
}

/** The due time in the hour, day or week of `nowMs`, or that many later. Follows daylight saving time. */
function dueMs(schedule: BackupSchedule, nowMs: number, later: number): number {
  const date = toDate(nowMs);
  if (schedule.every === 'hour') return date.setHours(date.getHours() + later, 0, 0, 0);
  const days = schedule.every === 'day' ? later : schedule.weekday - date.getDay() + 7 * later;
  date.setDate(date.getDate() + days);
  return date.setHours(schedule.hour, schedule.minute, 0, 0);
}
