import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivate } from '../db/private-file.ts';
import { type MasterKeys, masterKeyOf } from '../features/envelope/master-key.ts';
import { replaceFile } from '../lib/atomic-file.ts';
import type { Random } from '../lib/random.ts';
import { ConfigError } from './config.ts';
import type { Config } from './config-settings.ts';
import { masterKeys } from './config-values.ts';

/** Path of the data folder's key file: the master key, followed by the old one during a rotation. */
export function masterKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

/**
 * Opens the master keys of a data folder: those of the configuration, or those of its key file, which `ensure` creates
 * if there are none. Throws `ConfigError` for a file without a valid key, since a new key could not open what the old
 * one sealed. The caller holds the folder's lock.
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

/** Reads the key file, current key first; `undefined` if there is no file. Throws `ConfigError` if it is invalid. */
export async function readMasterKeys(dataDir: string): Promise<Buffer[] | undefined> {
  const file = masterKeyFile(dataDir);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read (${error.code}).`);
  });
  if (text === undefined) return undefined;
  const keys = parseKeys(text.trim().split(/\s*\n\s*/), file);
  await makePrivate(file);
  return keys;
}

function parseKeys(lines: readonly string[], file: string): Buffer[] {
  try {
    return masterKeys(lines.join(','));
  } catch {
    throw new ConfigError(`${file} does not contain a 32-byte key in base64. Restore it from a backup.`);
  }
}

/** Writes the key file whole and durably, before it seals anything. */
export async function writeMasterKeys(dataDir: string, keys: readonly Buffer[]): Promise<void> {
  const text = keys.map((key) => `${key.toString('base64')}\n`).join('');
  await replaceFile(masterKeyFile(dataDir), text, { mode: 0o600 });
}
