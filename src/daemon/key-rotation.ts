import { AppError } from '../contract/errors.ts';
import type { OnProgress } from '../db/copy-database.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { type Rewrapped, rewrapDataKeys } from '../features/envelope/key-rotation.ts';
import { masterKeyOf } from '../features/envelope/master-key.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { systemRandom } from '../lib/random.ts';
import { withRooms } from './admin.ts';
import type { Config } from './config-settings.ts';
import { existingDatabase } from './database-location.ts';
import { readMasterKeys, writeMasterKeys } from './master-key.ts';

export interface RotationReport extends Rewrapped {
  /** The id of the new master key. */
  masterKeyId: string;
  /** Where the new master key is stored; the name is part of the `--json` output. */
  kept: 'master.key' | 'SVC_MASTER_KEY';
}

interface RotationOptions {
  /** Discards what none of the available keys can open. */
  lost: boolean;
  onProgress: OnProgress;
}

/**
 * Rotates the master key, whether or not the daemon is running. With a key file, a new key is added above the old one,
 * all data keys are re-wrapped, and the old one is removed; after a kill in between, run it again to continue. With
 * `SVC_MASTER_KEY`, that setting lists the new key first and the old one after it. Throws `conflict` while another
 * process rotates, and `unprocessable` if the available keys do not suffice.
 */
export async function rotateMasterKey(config: Config, { lost, onProgress }: RotationOptions): Promise<RotationReport> {
  await existingDatabase(config);
  await makeFolder(config.dataDir);
  const lock = await lockFolder(config.dataDir, process.pid, 'rotation');
  try {
    const keys = config.masterKeys ?? (await addNewKey(config.dataDir, lost));
    const masterKeys = keys.map(masterKeyOf);
    const rewrapped = await withRooms(config, ({ db, providerKeys }) => {
      const { forget: forgetSealed } = providerKeys;
      return rewrapDataKeys({ db, random: systemRandom, masterKeys, dropLost: lost, forgetSealed, onProgress });
    });
    if (config.masterKeys === undefined) await writeMasterKeys(config.dataDir, keys.slice(0, 1));
    const kept = config.masterKeys ? 'SVC_MASTER_KEY' : 'master.key';
    return { ...rewrapped, masterKeyId: masterKeys[0]!.id, kept };
  } finally {
    await lock.release();
  }
}

/** Writes a new key to disk before it wraps anything. A file with two keys is from a killed run, which is continued. */
async function addNewKey(dataDir: string, lost: boolean): Promise<Buffer[]> {
  const former = await readMasterKeys(dataDir);
  if (former === undefined && !lost) {
    const advice = 'Put it back, or set SVC_MASTER_KEY. If it is lost, pass --lost.';
    throw new AppError('unprocessable', `There is no master.key in ${dataDir}. ${advice}`);
  }
  if (former !== undefined && former.length > 1) return former;
  const keys = [systemRandom.bytes(32), ...(former ?? [])];
  await writeMasterKeys(dataDir, keys);
  return keys;
}
