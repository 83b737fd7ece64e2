import { parseTimestamp } from '../../../lib/clock.ts';

/** An untrusted JSON object from another system. */
export type Fields = Record<string, unknown>;

/** Returns the value if it is an object, else `undefined`. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Returns the objects in a list; none if the value is not a list. */
export function objectsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((fields) => fields !== undefined) : [];
}

/** Returns the strings in a list; none if the value is not a list. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns the value if it is a string that is not blank, else `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /\S/.test(value) ? value : undefined;
}

/** One less than the 32 levels that can be stored: the enclosing record is one of them. */
const MAX_DEPTH = 31;

/** Makes a text storable: drops NUL and replaces lone surrogates with U+FFFD. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Collapses each run of white space and control characters to one space. */
export function oneLine(text: string): string {
  return storable(text)
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

/** Makes all texts of a JSON object storable; `undefined` if it is nested too deep. */
export function storableObject(fields: Record<string, unknown>): Record<string, unknown> | undefined {
  return depthOf(fields, 0) > MAX_DEPTH ? undefined : (storableValue(fields) as Record<string, unknown>);
}

function depthOf(value: unknown, above: number): number {
  if (value === null || typeof value !== 'object' || above > MAX_DEPTH) return above;
  return Object.values(value).reduce((deepest: number, item) => Math.max(deepest, depthOf(item, above + 1)), above + 1);
}

function storableValue(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableValue);
  if (value === null || typeof value !== 'object') return value;
  const named = Object.entries(value).map(([name, item]) => [storable(name), storableValue(item)] as const);
  return Object.fromEntries(named.filter(([name]) => name !== '__proto__'));
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
