import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { parse } from 'secure-json-parse';
import { AppError } from '../contract/errors.ts';

const MAX_DEPTH = 32;

/**
 * JSON bodies as they may be stored: sound UTF-8, no prototype tricks, no deeper than 32, and nothing that would come
 * back changed (NUL, lone surrogates, numbers that JavaScript cannot hold). Anything else is `invalid_request`.
 */
export function parseJsonBody(app: FastifyInstance): void {
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseStorable(body as Buffer));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
}

/** Throws `invalid_request`. An empty body is no value. */
export function parseStorable(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new AppError('invalid_request', 'The body is not valid UTF-8.');
  const value = parseJson(body.toString('utf8'));
  requireStorable(value, '', 0);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return parse(text, null, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    if (error instanceof SyntaxError) throw new AppError('invalid_request', 'The body is not valid JSON.');
    throw new AppError('invalid_request', 'The body is nested too deep.');
  }
}

function requireStorable(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') requireSoundText(value, path);
  if (typeof value === 'number') requireExactNumber(value, path);
  if (value === null || typeof value !== 'object') return;
  if (depth === MAX_DEPTH) throw refusal(path, `is nested deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      requireStorable(item, `${path}/${index}`, depth + 1);
    });
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    requireSoundText(name, path);
    requireStorable(item, `${path}/${name}`, depth + 1);
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

function refusal(path: string, message: string): AppError {
  const errors = [{ path: path === '' ? '/' : path, message }];
  return new AppError('invalid_request', `${path === '' ? 'The body' : path} ${message}.`, { errors });
}
