import { parseTimestamp } from '../../../lib/clock.ts';

/** Fields of an object that another system wrote: of any shape until looked at. */
export type Fields = Record<string, unknown>;

/** The value where it is an object, else `undefined`. */
export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The objects in a list; none where the value is no list. */
export function objectsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((fields) => fields !== undefined) : [];
}

/** The texts in a list; none where the value is no list. */
export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The value where it is a text that says something, else `undefined`. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /\S/.test(value) ? value : undefined;
}

/** What is around it counts for one of the 32 levels that can be stored. */
const MAX_DEPTH = 31;

/** A text as it can be stored: without NUL, and with U+FFFD for half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** A text for one line: every run of white space and control characters is one space. */
export function oneLine(text: string): string {
  return storable(text)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
}

/** The first so many characters of a text, with an ellipsis where there was more. */
export function clip(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters - 1).toWellFormed()}…`;
}

/** What another system calls a kind of thing, short enough for a sentence. */
export function kindName(value: unknown): string {
  return typeof value === 'string' ? clip(oneLine(value), 40) : 'unknown';
}

/** A JSON object whose texts can be stored, or `undefined` where it is nested too deep to be kept. */
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
