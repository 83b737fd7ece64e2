import { isObject } from '../../../lib/is-object.ts';
/** Plain data that every format can represent. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** A list item: the one whose `field` equals `value`, or the first that `matches`. */
export type ItemSegment = { field: string; value: string } | { label: string; matches(item: unknown): boolean };
/** A path segment: an object key or a list item. */
export type Segment = string | ItemSegment;
export type Path = readonly Segment[];

/**
 * Edits one place in a text of one format. Everything else is preserved byte for byte, because editors cut and insert
 * text and never serialize the whole document. Expects texts without a byte order mark.
 */
export interface Editor {
  /** Parses the text to plain data (`undefined` if it is empty). Throws `ConfigFileError` if it is invalid. */
  read(text: string): unknown;
  /** Sets the value at `path`, creating missing parents. */
  set(text: string, path: Path, value: Json): string;
  /** Removes the value at `path`. Returns the text unchanged if there is none. */
  remove(text: string, path: Path): string;
}

/** Why a configuration file cannot be changed: one line, printed after the file's path. */
export class ConfigFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigFileError';
  }
}

/** Creates an error with the line and column of `offset`, both counted from 1. */
export function errorAt(text: string, offset: number, message: string): ConfigFileError {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  return new ConfigFileError(`line ${line}, column ${column}: ${message}`);
}

/** Returns the first line break of the text, or `\n` if it has none. */
export function detectLineBreak(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** Returns the start of the line that contains `offset`. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the end of the line that contains `offset`, including its line break. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at === -1 ? text.length : at + 1;
}

/** Replaces the range `[from, to)` of a text. */
export function splice(text: string, from: number, to: number, replacement = ''): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

/** Returns the value at `path`, or `undefined`. */
export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, segment) => {
    if (typeof segment === 'string')
      return isObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
    return Array.isArray(value) ? value.find((item) => matchesItem(segment, item)) : undefined;
  }, data);
}

/** Whether a list item is the one that the segment means. */
export function matchesItem(segment: ItemSegment, item: unknown): boolean {
  if ('matches' in segment) return segment.matches(item);
  return isObject(item) && item[segment.field] === segment.value;
}

/** Wraps `value` in the objects and lists along `path`. */
export function nest(path: Path, value: Json): Json {
  return path.reduceRight<Json>(
    (inner, segment) => (typeof segment === 'string' ? { [segment]: inner } : [inner]),
    value,
  );
}

/** Describes a segment for error messages. */
export function describeSegment(segment: Segment): string {
  if (typeof segment === 'string') return segment;
  return 'label' in segment ? segment.label : `${segment.field} ${segment.value}`;
}

/** Copies the data without the value at `path` and without parents that this leaves empty. */
export function omit(data: unknown, path: Path): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return undefined;
  const inner = omit(valueAt(data, [segment]), rest);
  const isEmpty =
    inner === undefined || inner === null || (typeof inner === 'object' && Object.keys(inner).length === 0);
  if (typeof segment !== 'string') {
    return Array.isArray(data) ? data.flatMap((item) => (item === valueAt(data, [segment]) ? [] : [item])) : data;
  }
  if (!isObject(data)) return data;
  const { [segment]: _, ...others } = data;
  return isEmpty ? others : { ...others, [segment]: inner };
}

/** Deep equality that ignores the order of keys and compares dates by their text. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  if (a instanceof Date && b instanceof Date) return String(a) === String(b);
  if (!isObject(a) || !isObject(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  );
}
