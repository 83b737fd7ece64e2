import { open, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

/** API keys by account, in a file that only its owner can read. */
export interface KeyFile {
  path: string;
  get(account: string): Promise<string | undefined>;
  set(account: string, apiKey: string): Promise<void>;
  /** Returns whether the key existed. Deleting the last key removes the file. */
  delete(account: string): Promise<boolean>;
  /** Throws if the file could not be written. Leaves nothing behind. */
  probe(): Promise<void>;
}

/**
 * The fallback when there is no keychain. Every write replaces the file atomically. A file that others can read is
 * rejected, so that its owner finds out.
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
      const created = await withDraft(path, await read(), async () => {});
      if (created) await rmdir(folder);
    },
  };
}

/** Writes the keys to a draft beside `path`, calls `use` and removes the draft. Returns whether the folder was created. */
async function withDraft(
  path: string,
  keys: Record<string, string>,
  use: (draft: string) => Promise<void>,
): Promise<boolean> {
  const draft = `${path}.${process.pid}`;
  const folder = dirname(path);
  try {
    const created = await makeFolder(folder);
    await rm(draft, { force: true });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await use(draft);
    return created;
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `Cannot write the key file: ${(error as Error).message}`);
  } finally {
    await rm(draft, { force: true });
  }
}

async function readKeys(path: string): Promise<Record<string, string>> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && mode & 0o077) throw exposedError(path, mode);
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(EXIT.failed, `Cannot read the key file: repair or remove ${path}`);
  }
}

function exposedError(path: string, mode: number): CommandFailure {
  const octal = (mode & 0o777).toString(8);
  return new CommandFailure(
    EXIT.failed,
    `${path} contains keys and is readable by others (mode ${octal}).\nRun chmod 600 on it. If someone may have read it, run svc login for a new key.`,
  );
}
