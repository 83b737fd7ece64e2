import { chmod, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../lib/random.ts';
import { ConfigError } from './config.ts';

/**
 * The data folder's own master key, made at the first start with mode 0600. Throws `ConfigError` where the file holds
 * no key: a new one would make everything that is sealed unreadable.
 */
export async function loadMasterKey(dataDir: string, random: Random): Promise<Buffer> {
  const file = join(dataDir, 'master.key');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ConfigError(`${file} cannot be read (${error.code}).`);
  });
  if (text === undefined) return createMasterKey(file, random);
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== 32) throw new ConfigError(`${file} holds no key of 32 bytes in base64. Restore it from a backup.`);
  await chmod(file, 0o600).catch(() => {
    // Of another owner: readable, and that is all that is needed.
  });
  return key;
}

async function createMasterKey(file: string, random: Random): Promise<Buffer> {
  const key = random.bytes(32);
  const handle = await open(file, 'wx', 0o600);
  await handle.writeFile(`${key.toString('base64')}\n`);
  await handle.sync();
  await handle.close();
  return key;
}
