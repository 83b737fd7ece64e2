import { chmod, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../db/sync.ts';
import type { Random } from '../lib/random.ts';
import { ConfigError } from './config.ts';
import { masterKey } from './config-values.ts';

/**
 * The data folder's own master key, made at the first start with mode 0600. Throws `ConfigError` where the file holds
 * no key: a new one would make everything that is sealed unreadable. Call it under the folder's lock.
 */
export async function loadMasterKey(dataDir: string, random: Random): Promise<Buffer> {
  const file = join(dataDir, 'master.key');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read (${error.code}).`);
  });
  if (text === undefined) return createMasterKey(dataDir, file, random);
  const key = parseKey(text.trim(), file);
  await chmod(file, 0o600).catch(() => {
    // Of another owner: readable, and that is all that is needed.
  });
  return key;
}

function parseKey(text: string, file: string): Buffer {
  try {
    return masterKey(text);
  } catch {
    throw new ConfigError(`${file} holds no key of 32 bytes in base64. Restore it from a backup.`);
  }
}

/** Written aside and renamed, so that a kill in between leaves no half a key; on the disk before it seals anything. */
async function createMasterKey(dataDir: string, file: string, random: Random): Promise<Buffer> {
  const key = random.bytes(32);
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(`${key.toString('base64')}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
  await syncFolder(dataDir);
  return key;
}
