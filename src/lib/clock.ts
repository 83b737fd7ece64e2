/** The source of time. Business rules take `nowMs` as an argument; only this file reads the system clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may jump when the system clock is set. */
  nowMs(): number;
  /** Milliseconds on a clock that never goes backwards; for measuring intervals. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Formats an instant as the API does: RFC 3339 in UTC with milliseconds, e.g. `2026-11-20T09:00:00.000Z`. */
export function toTimestamp(epochMs: number): string {
  if (epochMs !== lastEpochMs) {
    lastTimestamp = new Date(epochMs).toISOString();
    lastEpochMs = epochMs;
  }
  return lastTimestamp;
}

/** Caches the last result: consecutive calls mostly format the same instant (one memory's timestamps, today's date). */
let lastEpochMs = 0;
let lastTimestamp = '1970-01-01T00:00:00.000Z';

/** Converts an instant for libraries that expect a `Date`. */
export function toDate(epochMs: number): Date {
  return new Date(epochMs);
}

/** `toTimestamp` for nullable columns. */
export function toTimestampOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toTimestamp(epochMs);
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/**
 * Parses an RFC 3339 timestamp to epoch milliseconds. Returns `undefined` if it is not an instant in the years 0001 to
 * 9999: also for a day that its month does not have, and for a time without an offset, which would depend on the
 * machine's time zone.
 */
export function parseTimestamp(text: string): number | undefined {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
  const epochMs = year === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(epochMs) || epochMs < -62_135_596_800_000 || epochMs > 253_402_300_799_999 ? undefined : epochMs;
}

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function utcDay(epochMs: number): string {
  return toTimestamp(Math.floor(epochMs / 86_400_000) * 86_400_000).slice(0, 10);
}

/** The first instant of the next UTC day. */
export function nextUtcDayMs(epochMs: number): number {
  const dayMs = 86_400_000;
  return (Math.floor(epochMs / dayMs) + 1) * dayMs;
}

/** The first instant of the next UTC month. */
export function nextUtcMonthMs(epochMs: number): number {
  const date = new Date(epochMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
