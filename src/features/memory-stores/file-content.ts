import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import type { Memory } from '../../contract/memories.ts';
import { directoriesAbove, ROOT } from '../../contract/memory-paths.ts';
import { contentOf, groupTag, isUnstorable, LONGEST_NAME, textOf } from '../../contract/named-items.ts';

/** How a memory at a path is stored: like a file of Claude's memory tool, below `/memories`. */
export interface StoredFile {
  externalId: string;
  content: string;
  tags: string[];
}

const MAX_SEGMENTS = 20;
const MAX_BYTES = 102_400;

/** Returns the fields of the memory that stores a text at a path of a user. Throws `invalid_request`. */
export function storedFile(user: string, path: string, text: string): StoredFile {
  const externalId = externalIdOf(path);
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalid('content', `must be at most ${MAX_BYTES} bytes`);
  return { externalId, content: requireStorable(externalId, text), tags: tagsOf(user, externalId) };
}

/** Returns the tags of the directories that a path leads through. */
export function tagsOf(user: string, externalId: string): string[] {
  return directoriesAbove(externalId).map((directory) => groupTag(directory, user));
}

/** Returns the external id of the memory at a path. Throws `invalid_request`. */
export function externalIdOf(path: string): string {
  const segments = path.split('/').slice(1);
  const isPath = path.startsWith('/') && segments.length <= MAX_SEGMENTS;
  if (!isPath || segments.some((name) => name === '' || name === '.' || name === '..')) {
    throw invalid('path', `must be "/" and 1 to ${MAX_SEGMENTS} names divided by "/", none of them "." or ".."`);
  }
  if (isUnstorable(path) || /[\p{Cc}\p{Cf}\u2028\u2029]/u.test(path) || path !== path.normalize('NFC')) {
    throw invalid('path', 'must be in Unicode Normalization Form C, without control and format characters');
  }
  const longest = LONGEST_NAME - ROOT.length;
  if (path.length > longest) throw invalid('path', `must have at most ${longest} characters`);
  return ROOT + path;
}

/** Returns the path and the text of a memory that stores a file; `undefined` for any other memory. */
export function fileIn({ externalId, content }: Pick<Memory, 'externalId' | 'content'>) {
  if (!externalId?.startsWith(`${ROOT}/`)) return undefined;
  return { path: externalId.slice(ROOT.length), text: textOf(externalId, content) };
}

/** Returns the SHA-256 and the size of a text, as the wire has them. */
export function digestOf(text: string) {
  return {
    content_sha256: createHash('sha256').update(text).digest('hex'),
    content_size_bytes: Buffer.byteLength(text),
  };
}

function requireStorable(externalId: string, text: string): string {
  try {
    return contentOf(externalId, text);
  } catch (error) {
    throw new AppError('invalid_request', (error as Error).message, { cause: error });
  }
}

function invalid(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path: `/${path}`, message }] });
}
