import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const PORTION_CHARACTERS = 64 * 1024;

/**
 * Writes a file all at once: the text goes to a file beside it, mode 0600, is on the disk before it takes the name, and
 * is removed where something fails on the way. A link at the name keeps pointing to the file; a device or a pipe is
 * written to as it is, never replaced.
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
  let portion = '';
  for await (const text of texts) {
    portion += text;
    if (portion.length < PORTION_CHARACTERS) continue;
    await handle.writeFile(portion);
    portion = '';
  }
  await handle.writeFile(portion);
}
