import { readFile, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../lib/atomic-file.ts';
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

  const write = (keys: Record<string, string>) => writeKeys(path, keys);

  return {
    path,
    async get(account) {
      const keys = await read();
      return Object.hasOwn(keys, account) ? keys[account] : undefined;
    },
    async set(account, apiKey) {
      await write({ ...(await read()), [account]: apiKey });
    },
    async delete(account) {
      const { [account]: found, ...rest } = await read();
      if (found === undefined) return false;
      await (Object.keys(rest).length === 0 ? rm(path) : write(rest));
      return true;
    },
    async probe() {
      await read();
      const created = await writeKeys(`${path}.probe`, {});
      // Another command may probe at the same time.
      await rm(`${path}.probe`, { force: true });
      if (created) await rmdir(folder);
    },
  };
}

/** Returns whether the folder was created. */
async function writeKeys(path: string, keys: Record<string, string>): Promise<boolean> {
  try {
    const created = await makeFolder(dirname(path));
    await replaceFile(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
    return created;
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `Cannot write the key file: ${(error as Error).message}`);
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
