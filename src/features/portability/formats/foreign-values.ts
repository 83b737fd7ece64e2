import { parseTimestamp } from '../../../lib/clock.ts';

/** An untrusted JSON object from another system. */
export type Fields = Record<string, unknown>;

/** Returns the value if it is an object, else `undefined`. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Returns the value if it is a list, else an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** More UTF-16 units than the longest text that is stored has. */
export const MAX_STORED_LENGTH = 256 * 1024;

/** Returns the value if it is a string that is not blank, else `undefined`. A beginning too long to be stored decides. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && isText(value) ? value : undefined;
}

/** Whether a text is not blank, as far as it can be stored. */
export function isText(text: string): boolean {
  return /[^\s\0]/.test(text.slice(0, MAX_STORED_LENGTH));
}

/** One less than the 32 levels that can be stored: the enclosing record is one of them. */
const MAX_DEPTH = 31;

/** Makes a text storable: drops NUL and replaces lone surrogates with U+FFFD. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** No name, title or tag is longer. */
const MAX_LINE_LENGTH = 4096;

/** Collapses each run of white space and control characters to one space, in the beginning of a long text. */
export function oneLine(text: string): string {
  return storable(text.slice(0, MAX_LINE_LENGTH))
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
}

/** Truncates a text to `maxCharacters`, with an ellipsis. */
export function clip(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters - 1).toWellFormed()}…`;
}

/** A type name from the file, short enough for a message. */
export function kindName(value: unknown): string {
  return typeof value === 'string' ? clip(oneLine(value), 40) : 'unknown';
}

/** Twice what stored JSON objects can have. */
const MAX_OBJECT_CHARACTERS = 32 * 1024;

/**
 * Makes all texts of a JSON object storable; `undefined` if it is nested too deep. Of an object that is too large to be
 * stored, it copies a part that is too large as well.
 */
export function storableObject(fields: Fields): Fields | undefined {
  let left = MAX_OBJECT_CHARACTERS;
  let isTooDeep = false;
  const copyOfText = (text: string) => {
    left -= text.length;
    return storable(text.slice(0, MAX_STORED_LENGTH));
  };
  const copyOf = (value: unknown, depth: number): unknown => {
    left -= 1;
    if (typeof value === 'string') return copyOfText(value);
    if (value === null || typeof value !== 'object') return value;
    isTooDeep ||= depth > MAX_DEPTH;
    if (isTooDeep) return null;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) {
        if (left <= 0) break;
        items.push(copyOf(item, depth + 1));
      }
      return items;
    }
    const members: [string, unknown][] = [];
    for (const name of Object.keys(value)) {
      if (left <= 0) break;
      members.push([copyOfText(name), copyOf((value as Fields)[name], depth + 1)]);
    }
    return Object.fromEntries(members.filter(([name]) => name !== '__proto__'));
  };
  const copy = copyOf(fields, 1) as Fields;
  return isTooDeep ? undefined : copy;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?$/;
const LAST_MS = 253_402_300_799_999;

/**
 * Parses a timestamp to epoch milliseconds: RFC 3339, a local time, or a day. Without a zone it is taken as UTC, so that it
 * means the same on every machine; a day means its start. Returns `undefined` for anything else.
 */
export function parseInstant(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (DAY.test(text)) return parseTimestamp(`${text}T00:00:00Z`);
  const [, day, minute, second] = WITHOUT_ZONE.exec(text) ?? [];
  return parseTimestamp(day === undefined ? text : `${day}T${minute}${second ?? ':00'}Z`);
}

/** Parses a Unix time in seconds, with fractions, to epoch milliseconds. */
export function parseUnixSeconds(value: unknown): number | undefined {
  if (typeof value !== 'number') return undefined;
  const epochMs = Math.round(value * 1000);
  return epochMs > 0 && epochMs <= LAST_MS ? epochMs : undefined;
}
