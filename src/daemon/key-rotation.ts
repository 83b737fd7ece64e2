import { AppError } from '../contract/errors.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { type Rewrapped, rewrapDataKeys } from '../features/envelope/key-rotation.ts';
import { masterKeyOf } from '../features/envelope/master-key.ts';
import { systemRandom } from '../lib/random.ts';
import { existingDatabase, withRooms } from './administration.ts';
import type { Config } from './config.ts';
import { readMasterKeys, writeMasterKeys } from './master-key.ts';

export interface RotationReport extends Rewrapped {
  /** The name of the master key that is in force now. */
  masterKeyId: string;
  /** Where it is; `undefined`: in `SVC_MASTER_KEY`. */
  kept: 'master.key' | 'SVC_MASTER_KEY';
}

interface Wanted {
  /** What no key at hand opens is given up. */
  lost: boolean;
  onProgress(share: number): void;
}

/**
 * Changes the master key of a data folder, with the daemon running or not. Where the key is in the folder's file, a new
 * one is put above the former, everything is wrapped by it, and the former goes. Killed in between, it is run again and
 * goes on. Where it is in `SVC_MASTER_KEY`, that names the new one first and the former after it. Throws `conflict` while
 * another process does this, and `unprocessable` where the keys at hand do not suffice.
 */
export async function rotateMasterKey(config: Config, { lost, onProgress }: Wanted): Promise<RotationReport> {
  await existingDatabase(config);
  const lock = await lockFolder(config.dataDir, process.pid, 'rotation');
  try {
    const keys = config.masterKeys ?? (await keysWithNewOne(config.dataDir, lost));
    const masterKeys = keys.map(masterKeyOf);
    const rewrapped = await withRooms(config, ({ db, providerKeys }) => {
      const { forget: forgetSealed } = providerKeys;
      return rewrapDataKeys({ db, random: systemRandom, masterKeys, giveUpLost: lost, forgetSealed, onProgress });
    });
    if (config.masterKeys === undefined) await writeMasterKeys(config.dataDir, keys.slice(0, 1));
    const kept = config.masterKeys ? 'SVC_MASTER_KEY' : 'master.key';
    return { ...rewrapped, masterKeyId: masterKeys[0]!.id, kept };
  } finally {
    await lock.release();
  }
}

/** On the disk before it wraps anything. A file of two is what a killed run left: it goes on with the same. */
async function keysWithNewOne(dataDir: string, lost: boolean): Promise<Buffer[]> {
  const former = await readMasterKeys(dataDir);
  if (former === undefined && !lost) {
    const advice = 'Put it back, or set SVC_MASTER_KEY. If it is lost, give --lost.';
    throw new AppError('unprocessable', `There is no master.key in ${dataDir}. ${advice}`);
  }
  if (former !== undefined && former.length > 1) return former;
  const keys = [systemRandom.bytes(32), ...(former ?? [])];
  await writeMasterKeys(dataDir, keys);
  return keys;
}
