import { chmod, mkdir, open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

/** Keys by account, in a file that only its owner may read. */
export interface KeyFile {
  path: string;
  get(account: string): Promise<string | undefined>;
  set(account: string, apiKey: string): Promise<void>;
  /** Whether there was one. The last one takes the file with it. */
  delete(account: string): Promise<boolean>;
  /** Throws where nothing could be written. Leaves nothing behind. */
  probe(): Promise<void>;
}

/**
 * The way out where there is no keychain. The file is replaced as a whole (written beside, flushed, renamed), and
 * refused where others could read it: whoever opened it up should learn of it.
 */
export function openKeyFile(folder: string): KeyFile {
  const path = join(folder, 'keys.json');

  const read = () => readKeys(path);

  async function write(keys: Record<string, string>): Promise<void> {
    await withDraft(path, keys, (draft) => rename(draft, path));
  }

  return {
    path,
    async get(account) {
      const keys = await read();
      return Object.hasOwn(keys, account) ? keys[account] : undefined;
    },
    set: async (account, apiKey) => write({ ...(await read()), [account]: apiKey }),
    async delete(account) {
      const { [account]: found, ...rest } = await read();
      if (found === undefined) return false;
      await (Object.keys(rest).length === 0 ? rm(path) : write(rest));
      return true;
    },
    async probe() {
      const made = await withDraft(path, await read(), async () => {});
      if (made) await rmdir(folder);
    },
  };
}

/** Writes the keys beside `path` and hands them over; a draft that is still there afterwards goes. Says whether the folder is new. */
async function withDraft(
  path: string,
  keys: Record<string, string>,
  use: (draft: string) => Promise<void>,
): Promise<boolean> {
  const draft = `${path}.${process.pid}`;
  const folder = dirname(path);
  try {
    const made = (await mkdir(folder, { recursive: true })) !== undefined;
    if (made) await chmod(folder, 0o700);
    await rm(draft, { force: true });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await use(draft);
    return made;
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `The key file cannot be written: ${(error as Error).message}`);
  } finally {
    await rm(draft, { force: true });
  }
}

async function readKeys(path: string): Promise<Record<string, string>> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && mode & 0o077) throw tooOpen(path, mode);
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(EXIT.failed, `The key file cannot be read: mend or remove ${path}`);
  }
}

function tooOpen(path: string, mode: number): CommandFailure {
  const shown = (mode & 0o777).toString(8);
  return new CommandFailure(
    EXIT.failed,
    `${path} holds keys and others may read it (mode ${shown}).\nRun chmod 600 on it; if somebody may have read it, svc login makes a new key.`,
  );
}
