import { isUtf8 } from 'node:buffer';
import { AppError } from './errors.ts';
import { type JsonCounts, type JsonLimits, scanJson, scanJsonInSteps } from './json-scan.ts';

const MAX_DEPTH = 32;

/**
 * More than requests within the other limits have: 500 memories with 64 tags each are 35,000 values, and no object that
 * is stored has 3,000 members in its 16 KiB.
 */
export const MAX_JSON: JsonLimits = { depth: MAX_DEPTH, objectMembers: 3000, members: 20_000, values: 50_000 };

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Parses a JSON body that is safe to store; an empty body is `undefined`. Throws `invalid_request`. */
export function parseStorable(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const bytes = withoutByteOrderMark(body);
  const members = membersOf(bytes, scanJson(bytes, MAX_JSON));
  const value = parseJson(bytes.toString('utf8'));
  if (requireStorable(value) !== members) throw sameNameTwice();
  return value;
}

/** A JSON body without its byte order mark, and the number of object members in it. */
interface Counted {
  bytes: Buffer;
  members: number;
}

/** Counts what is in a JSON body, in steps. Throws `invalid_request` if it is too much to parse, or not UTF-8. */
export function* countStorableInSteps(body: Buffer): Generator<void, Counted> {
  const bytes = withoutByteOrderMark(body);
  return { bytes, members: membersOf(bytes, yield* scanJsonInSteps(bytes, MAX_JSON)) };
}

/** Returns the bytes of a text without its byte order mark. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

function membersOf(bytes: Buffer, counts: JsonCounts | string): number {
  if (typeof counts === 'string') throw notStorable('', counts);
  if (!isUtf8(bytes)) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
  return counts.members;
}

/** Parses JSON text that is safe to store. Throws `invalid_request`. */
export function parseStorableText(text: string): unknown {
  return parseStorable(Buffer.from(text));
}

/** Throws `invalid_request`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson();
  }
}

export function invalidJson(): AppError {
  return new AppError('invalid_request', 'The body is not valid JSON.');
}

export function sameNameTwice(): AppError {
  return notStorable('', 'has an object with the same name twice');
}

/** Name of a member or index of an item. */
export type Key = string | number;

/** Returns the number of object members in `value`. Throws `invalid_request` if the value cannot be stored. */
export function requireStorable(value: unknown, path = '', depth = 0): number {
  if (typeof value !== 'object' || value === null) {
    const fault = faultOf(value);
    if (fault !== undefined) throw notStorable(path, fault);
    return 0;
  }
  if (depth === MAX_DEPTH) throw notStorable(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    let members = 0;
    for (const [index, item] of value.entries()) members += requireMember(item, path, index, depth);
    return members;
  }
  let members = 0;
  for (const name of Object.keys(value)) {
    const item = (value as Record<string, unknown>)[name];
    requireStorableName(name, item, path);
    members += 1 + requireMember(item, path, name, depth);
  }
  return members;
}

/** `requireStorable` for a member or an item. Composes paths only where they are needed: a body has up to 50,000 of them. */
export function requireMember(item: unknown, path: string, name: Key, depth: number): number {
  if (typeof item === 'object' && item !== null) return requireStorable(item, pathTo(path, name), depth + 1);
  const fault = faultOf(item);
  if (fault !== undefined) throw notStorable(pathTo(path, name), fault);
  return 0;
}

/** Throws `invalid_request` for a name of a member that cannot be stored. */
export function requireStorableName(name: string, item: unknown, path: string): void {
  const fault = textFaultOf(name);
  if (fault !== undefined) throw notStorable(path, fault);
  const reachesPrototype = typeof item === 'object' && item !== null && Object.hasOwn(item, 'prototype');
  if (name === '__proto__' || (name === 'constructor' && reachesPrototype)) {
    throw notStorable(path, `has a member ${JSON.stringify(name)}, which is not accepted`);
  }
}

function faultOf(value: unknown): string | undefined {
  if (typeof value === 'string') return textFaultOf(value);
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) return 'is a number out of range';
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return undefined;
  return 'is an integer beyond 2^53, which many JSON parsers round; send it as a string';
}

function textFaultOf(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character';
  return text.isWellFormed() ? undefined : 'contains an unpaired surrogate';
}

/** Extends a JSON pointer. */
export function pathTo(path: string, name: Key): string {
  return `${path}/${typeof name === 'number' ? name : escapePointer(name)}`;
}

/** Escapes a member name for a JSON pointer (RFC 6901). */
function escapePointer(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

function notStorable(path: string, message: string): AppError {
  const errors = [{ path: path === '' ? '/' : path, message }];
  return new AppError('invalid_request', `${path === '' ? 'The body' : path} ${message}.`, { errors });
}
