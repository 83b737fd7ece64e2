import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** Digest of a file. Matchers compare buffers byte by byte, which takes seconds. */
export async function digestOf(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
}
