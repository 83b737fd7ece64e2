import { parseTimestamp } from '../../lib/clock.ts';

/** Truncates text and makes it storable: models emit anything, including NUL and lone surrogates. */
export function toStorable(text: string, characters: number): string {
  return text.replaceAll('\0', ' ').slice(0, characters).toWellFormed();
}

/** Converts a day that a model returns, `YYYY-MM-DD`; `undefined` for anything else. */
export function timestampOf(date: string): string | undefined {
  const moment = `${date.trim()}T00:00:00.000Z`;
  return /^\d{4}-\d\d-\d\dT/.test(moment) && parseTimestamp(moment) !== undefined ? moment : undefined;
}
