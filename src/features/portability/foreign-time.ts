import { parseTimestamp } from '../../lib/clock.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/;
const LAST_MS = 253_402_300_799_999;

/**
 * Epoch milliseconds of a time as other systems write it: RFC 3339, or without a zone, which is then taken as UTC so
 * that it means the same on every machine, or a day, which is its first instant. Anything else is no time.
 */
export function instantIn(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (DAY.test(text)) return parseTimestamp(`${text}T00:00:00Z`);
  const [, day, minute, second] = WITHOUT_ZONE.exec(text) ?? [];
  return parseTimestamp(day === undefined ? text : `${day}T${minute}${second ?? ':00'}Z`);
}

/** Epoch milliseconds of a Unix time in seconds with a fraction. */
export function instantOfSeconds(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  const epochMs = Math.round(value * 1000);
  return epochMs > 0 && epochMs <= LAST_MS ? epochMs : undefined;
}
