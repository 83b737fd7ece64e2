/** Plain data that every format can hold. */
export type Json = string | number | boolean | null | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** One step into a document: a key, or the item of a list whose `field` is `is`. */
export type Step = string | { field: string; is: string };
export type Path = readonly Step[];

/**
 * Changes a text of one format in one place. What stands outside that place keeps its bytes: editors cut and insert
 * text, they never print a document anew. Texts come without byte order mark.
 */
export interface Editor {
  /** The document as plain data (`undefined` where it is empty); throws `ConfigFileError` where it cannot be parsed. */
  read(text: string): unknown;
  /** Puts `value` at `path`, making what is missing on the way. */
  set(text: string, path: Path, value: Json): string;
  /** Takes away what is at `path`; the same text where nothing is. */
  remove(text: string, path: Path): string;
}

/** Why a configuration file is left alone, as one line that ends a sentence beginning with the file's name. */
export class ConfigFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigFileError';
  }
}

/** A fault with the place where it is, counted from 1 as editors show it. */
export function errorAt(text: string, offset: number, message: string): ConfigFileError {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  return new ConfigFileError(`line ${line}, column ${column}: ${message}`);
}

/** The line end that the text uses, by its first. */
export function detectLineBreak(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** The offset at which the line of `offset` begins. */
export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** The offset at which the line of `offset` ends, its line end included. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at === -1 ? text.length : at + 1;
}

/** `text` without `[from, to)`, and `put` there instead. */
export function splice(text: string, from: number, to: number, put = ''): string {
  return text.slice(0, from) + put + text.slice(to);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What `path` leads to in plain data. */
export function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof step === 'string') return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
    return Array.isArray(value) ? value.find((item) => isObject(item) && item[step.field] === step.is) : undefined;
  }, data);
}

/** `value` inside the objects and lists that `path` asks for. */
export function nest(path: Path, value: Json): Json {
  return path.reduceRight<Json>((inner, step) => (typeof step === 'string' ? { [step]: inner } : [inner]), value);
}

/** A step as a person reads it. */
export function describeStep(step: Step): string {
  return typeof step === 'string' ? step : `${step.field} ${step.is}`;
}

/** A copy of the data without what `path` leads to, and without the containers that this leaves empty. */
export function without(data: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  const inner = without(valueAt(data, [step]), rest);
  const gone = inner === undefined || inner === null || (typeof inner === 'object' && Object.keys(inner).length === 0);
  if (typeof step !== 'string') {
    return Array.isArray(data) ? data.flatMap((item) => (item === valueAt(data, [step]) ? [] : [item])) : data;
  }
  if (!isObject(data)) return data;
  const { [step]: _, ...others } = data;
  return gone ? others : { ...others, [step]: inner };
}

/** True where both hold the same data; the order of keys and the parser that made them do not matter. */
export function sameData(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameData(item, b[i]));
  if (a instanceof Date && b instanceof Date) return String(a) === String(b);
  if (!isObject(a) || !isObject(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameData(a[key], b[key]))
  );
}
