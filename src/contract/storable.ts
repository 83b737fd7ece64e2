import { isUtf8 } from 'node:buffer';
import { AppError } from './errors.ts';

const MAX_DEPTH = 32;

/** JSON as it may be stored. Throws `invalid_request`. Nothing at all is no value. */
export function parseStorable(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
  return parseStorableText(body.toString('utf8').replace(/^\ufeff/, ''));
}

/** JSON as it may be stored, out of a text. Throws `invalid_request`. */
export function parseStorableText(text: string): unknown {
  const value = parseJson(text);
  if (requireStorable(value) !== namesIn(text)) throw refusal('', 'has an object with the same name twice');
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('invalid_request', 'The body is not valid JSON.');
  }
}

/** How many members the objects of a (valid) JSON text have: outside of strings, each colon is one. */
function namesIn(text: string): number {
  return text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1;
}

/** Returns how many members the objects in `value` have. Throws `invalid_request` for what may not be stored. */
export function requireStorable(value: unknown, path = '', depth = 0): number {
  if (typeof value === 'string') requireSoundText(value, path);
  if (typeof value === 'number') requireExactNumber(value, path);
  if (value === null || typeof value !== 'object') return 0;
  if (depth === MAX_DEPTH) throw refusal(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    return value.reduce((sum: number, item, index) => sum + requireStorable(item, `${path}/${index}`, depth + 1), 0);
  }
  let names = 0;
  for (const [name, item] of Object.entries(value)) {
    requireSoundName(name, item, path);
    names += 1 + requireStorable(item, `${path}/${escapePointer(name)}`, depth + 1);
  }
  return names;
}

function requireSoundName(name: string, item: unknown, path: string): void {
  requireSoundText(name, path);
  const reachesPrototype = typeof item === 'object' && item !== null && Object.hasOwn(item, 'prototype');
  if (name === '__proto__' || (name === 'constructor' && reachesPrototype)) {
    throw refusal(path, `has a member ${JSON.stringify(name)}, which is not accepted`);
  }
}

function requireSoundText(text: string, path: string): void {
  if (text.includes('\0')) throw refusal(path, 'holds a NUL character');
  if (!text.isWellFormed()) throw refusal(path, 'holds half of a surrogate pair');
}

function requireExactNumber(value: number, path: string): void {
  if (!Number.isFinite(value)) throw refusal(path, 'is a number out of range');
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw refusal(path, 'is an integer beyond 2^53, which JSON readers round: send it as a string');
  }
}

/** A name as a part of a JSON pointer (RFC 6901). */
function escapePointer(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

function refusal(path: string, message: string): AppError {
  const errors = [{ path: path === '' ? '/' : path, message }];
  return new AppError('invalid_request', `${path === '' ? 'The body' : path} ${message}.`, { errors });
}
