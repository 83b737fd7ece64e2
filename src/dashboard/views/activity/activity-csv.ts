import type { ActivityEntry } from '../../../contract/activity.ts';

const CSV_COLUMNS = [
  'at',
  'client',
  'transport',
  'method',
  'route',
  'status',
  'milliseconds',
  'searchId',
  'ids',
  'id',
  'author',
] as const;

/** Writes requests as CSV (RFC 4180). A field that a spreadsheet would run as a formula gets a leading apostrophe. */
export function csvOf(entries: readonly ActivityEntry[]): string {
  const lines = entries.map((entry) => CSV_COLUMNS.map((name) => csvField(entry[name])).join(','));
  return `${[CSV_COLUMNS.join(','), ...lines].join('\r\n')}\r\n`;
}

function csvField(value: string | number | null | readonly string[]): string {
  if (typeof value === 'number') return String(value);
  const text = value === null ? '' : typeof value === 'string' ? value : value.join(' ');
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
