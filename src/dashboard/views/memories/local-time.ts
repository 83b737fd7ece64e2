import { parseTimestamp, toDate, toTimestamp } from '../../../lib/clock.ts';

const MINUTE_MS = 60_000;

/** A timestamp as the value of a `datetime-local` field, in the reader's time zone; empty for none. */
export function toLocalField(timestamp: string | null): string {
  const at = timestamp === null ? undefined : parseTimestamp(timestamp);
  return at === undefined ? '' : toTimestamp(at - offsetMs(at)).slice(0, 16);
}

/** The timestamp of a `datetime-local` field; null if it is empty or not a time. */
export function fromLocalField(value: string): string | null {
  const asUtc = parseTimestamp(`${value.slice(0, 16)}:00Z`);
  return asUtc === undefined ? null : toTimestamp(asUtc + offsetMs(asUtc));
}

/** How far the reader's time zone is behind UTC. */
export function offsetMs(epochMs: number): number {
  return toDate(epochMs).getTimezoneOffset() * MINUTE_MS;
}
