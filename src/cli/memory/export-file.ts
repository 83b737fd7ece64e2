import { realpath, stat, writeFile } from 'node:fs/promises';
import { replaceFile } from '../../lib/atomic-file.ts';

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Writes a file that only its owner can read, whole or not at all. A symbolic link is followed; a device or a pipe is
 * written to directly, never replaced.
 */
export async function writeAtomically(path: string, texts: AsyncIterable<string>): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) return writeFile(path, inChunks(texts));
  const target = await realpath(path).catch(() => path);
  return replaceFile(target, inChunks(texts), { mode: 0o600 });
}

async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
