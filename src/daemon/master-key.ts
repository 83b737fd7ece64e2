import { chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../db/sync.ts';
import { type MasterKeys, masterKeyOf } from '../features/envelope/master-key.ts';
import type { Random } from '../lib/random.ts';
import { type Config, ConfigError } from './config.ts';
import { masterKeys } from './config-values.ts';

/** The file of the data folder that holds its master key, and while that is changed the former one below it. */
export function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

/**
 * The master keys of a data folder: those of the configuration, or else those of its file, which `ensure` makes where
 * neither is there. Throws `ConfigError` where the file holds no key: a new one would make everything that is sealed
 * unreadable. Call it under the folder's lock.
 */
export async function openMasterKeys({ dataDir, masterKeys }: Config, random: Random): Promise<MasterKeys> {
  const read = async () => (masterKeys ?? (await readMasterKeys(dataDir)) ?? []).map(masterKeyOf);
  let current = await read();
  return {
    isGiven: masterKeys !== undefined,
    current: () => current,
    async ensure() {
      if (current.length === 0) {
        await writeMasterKeys(dataDir, [random.bytes(32)]);
        current = await read();
      }
      return current[0]!;
    },
    async reload() {
      current = await read();
      return current;
    },
  };
}

/** The keys of the folder's file, the one in force first; `undefined` where there is no file. Throws `ConfigError`. */
export async function readMasterKeys(dataDir: string): Promise<Buffer[] | undefined> {
  const file = masterKeyFile(dataDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read (${error.code}).`);
  });
  if (text === undefined) return undefined;
  const keys = parseKeys(text.trim().split(/\s*\n\s*/), file);
  await chmod(file, 0o600).catch(() => {
    // Of another owner: readable, and that is all that is needed.
  });
  return keys;
}

function parseKeys(lines: readonly string[], file: string): Buffer[] {
  try {
    return masterKeys(lines.join(','));
  } catch {
    throw new ConfigError(`${file} holds no key of 32 bytes in base64. Restore it from a backup.`);
  }
}

/** Written aside and renamed, so that a kill in between leaves no half a key; on the disk before it seals anything. */
export async function writeMasterKeys(dataDir: string, keys: readonly Buffer[]): Promise<void> {
  const file = masterKeyFile(dataDir);
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(keys.map((key) => `${key.toString('base64')}\n`).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
  await syncFolder(dataDir);
}
