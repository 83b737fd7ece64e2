import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from './exit.ts';
import { CommandFailure } from './failure.ts';

/** Keys by account, in a file that only its owner may read. */
export interface KeyFile {
  path: string;
  get(account: string): Promise<string | undefined>;
  set(account: string, apiKey: string): Promise<void>;
  /** Whether there was one. The last one takes the file with it. */
  delete(account: string): Promise<boolean>;
  /** Throws where nothing could be written. Leaves nothing but the folder. */
  probe(): Promise<void>;
}

/**
 * The way out where there is no keychain. The file is replaced as a whole (written beside, flushed, renamed), and
 * refused where others could read it: whoever opened it up should learn of it.
 */
export function openKeyFile(folder: string): KeyFile {
  const path = join(folder, 'keys.json');

  const read = () => readKeys(path);

  async function write(keys: Record<string, string>, land = (draft: string) => rename(draft, path)): Promise<void> {
    const draft = `${path}.${process.pid}`;
    try {
      await rm(draft, { force: true });
      if ((await mkdir(folder, { recursive: true })) !== undefined) await chmod(folder, 0o700);
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(keys, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await land(draft);
    } catch (error) {
      throw new CommandFailure(EXIT.failed, `The key file cannot be written: ${(error as Error).message}`);
    } finally {
      await rm(draft, { force: true });
    }
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
    probe: async () => write(await read(), async () => {}),
  };
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
