import { open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const PORTION_CHARACTERS = 64 * 1024;

/**
 * Writes a file all at once: the text goes to a file beside it, mode 0600, is on the disk before it takes the name, and
 * is removed where something fails on the way. A link at the name keeps pointing to the file.
 */
export async function writeWhole(path: string, texts: AsyncIterable<string>): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${process.pid}.svc-export`);
  const handle = await open(draft, 'wx', 0o600);
  try {
    let portion = '';
    for await (const text of texts) {
      portion += text;
      if (portion.length < PORTION_CHARACTERS) continue;
      await handle.write(portion);
      portion = '';
    }
    await handle.write(portion);
    await handle.sync();
    await handle.close();
    await rename(draft, target);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(draft, { force: true });
    throw error;
  }
}
