import { isUtf8 } from 'node:buffer';
import { AppError } from './errors.ts';

const MAX_DEPTH = 32;

/** Parses a JSON body that is safe to store; an empty body is `undefined`. Throws `invalid_request`. */
export function parseStorable(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
  return parseStorableText(body.toString('utf8').replace(/^\ufeff/, ''));
}

/** Parses JSON text that is safe to store. Throws `invalid_request`. */
export function parseStorableText(text: string): unknown {
  const value = parseJson(text);
  if (requireStorable(value) !== countMembers(text)) throw notStorable('', 'has an object with the same name twice');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_request', 'The body is not valid JSON.');
  }
}

/** Counts the object members in valid JSON text: every colon outside a string is one. */
function countMembers(text: string): number {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1;
}

/** Returns the number of object members in `value`. Throws `invalid_request` if the value cannot be stored. */
export function requireStorable(value: unknown, path = '', depth = 0): number {
  if (typeof value === 'string') requireStorableText(value, path);
  if (typeof value === 'number') requireExactNumber(value, path);
  if (value === null || typeof value !== 'object') return 0;
  if (depth === MAX_DEPTH) throw notStorable(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    return value.reduce((sum: number, item, index) => sum + requireStorable(item, `${path}/${index}`, depth + 1), 0);
  }
  let members = 0;
  for (const [name, item] of Object.entries(value)) {
    requireStorableName(name, item, path);
    members += 1 + requireStorable(item, `${path}/${escapePointer(name)}`, depth + 1);
  }
  return members;
}

function requireStorableName(name: string, item: unknown, path: string): void {
  requireStorableText(name, path);
  const reachesPrototype = typeof item === 'object' && item !== null && Object.hasOwn(item, 'prototype');
  if (name === '__proto__' || (name === 'constructor' && reachesPrototype)) {
    throw notStorable(path, `has a member ${JSON.stringify(name)}, which is not accepted`);
  }
}

function requireStorableText(text: string, path: string): void {
  if (text.includes('\0')) throw notStorable(path, 'contains a NUL character');
  if (!text.isWellFormed()) throw notStorable(path, 'contains an unpaired surrogate');
}

function requireExactNumber(value: number, path: string): void {
  if (!Number.isFinite(value)) throw notStorable(path, 'is a number out of range');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw notStorable(path, 'is an integer beyond 2^53, which many JSON parsers round; send it as a string');
  }
}

/** Escapes a member name for a JSON pointer (RFC 6901). */
function escapePointer(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

function notStorable(path: string, message: string): AppError {
  const errors = [{ path: path === '' ? '/' : path, message }];
  return new AppError('invalid_request', `${path === '' ? 'The body' : path} ${message}.`, { errors });
}
