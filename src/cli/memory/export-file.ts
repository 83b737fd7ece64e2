import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Writes a file atomically: to a draft beside it with mode 0600, which is synced and then renamed, or removed on failure.
 * A symbolic link is followed; a device or a pipe is written to directly, never replaced.
 */
export async function writeAtomically(path: string, texts: AsyncIterable<string>): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && !found.isFile()) return writeThrough(path, texts);
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${process.pid}.svc-export`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    await writeAll(handle, texts);
    await handle.sync();
    await handle.close();
    await rename(draft, target);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeThrough(path: string, texts: AsyncIterable<string>): Promise<void> {
  const handle = await open(path, 'w');
  try {
    await writeAll(handle, texts);
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, texts: AsyncIterable<string>): Promise<void> {
  let chunk = '';
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    await handle.writeFile(chunk);
    chunk = '';
  }
  await handle.writeFile(chunk);
}
