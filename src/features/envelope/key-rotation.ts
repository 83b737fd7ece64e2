import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { lockWrites } from '../../db/transactions.ts';
import type { Random } from '../../lib/random.ts';
import { DAEMON } from './envelope.ts';
import {
  countDataKeys,
  type DataKeyRow,
  deleteDataKey,
  listDataKeysOfOthers,
  updateDataKey,
} from './envelope-store.ts';
import { type MasterKey, unwrap, wrap } from './master-key.ts';

/** Number of data keys rewrapped, and of those dropped because their master key is lost. */
export interface Rewrapped {
  rewrapped: number;
  lost: number;
}

interface Rotation {
  db: Database;
  random: Random;
  /** The first one wraps everything; the others only unwrap. */
  masterKeys: readonly MasterKey[];
  /** Drops data keys that none of them can unwrap, instead of throwing before any change. */
  dropLost: boolean;
  /** Deletes what a dropped data key sealed, in the same transaction. */
  forgetSealed(connection: Connection, tenantId: string): Promise<void>;
  onProgress(share: number): void;
}

const ROWS = 100;

/**
 * Rewraps every data key with the first master key, in batches, while a daemon may be running. The daemon's own data
 * key comes first: from then on new data keys use the new master key too, so the rotation terminates. Safe to rerun
 * after a crash. Throws `unprocessable` for rows whose master key is missing, and `conflict` if there are no data keys
 * yet.
 */
export async function rewrapDataKeys(rotation: Rotation): Promise<Rewrapped> {
  const { db, masterKeys, onProgress } = rotation;
  const [target] = masterKeys as [MasterKey, ...MasterKey[]];
  const done: Rewrapped = { rewrapped: 0, lost: 0 };
  const { all, others: total } = await countDataKeys(db.readers, target.id);
  // A daemon in its first start still holds the old master key and is about to wrap its own data key with it.
  if (all === 0)
    throw new AppError('conflict', 'The database has no data keys yet. Start svc serve once, then try again.');
  for (;;) {
    const batch = await db.writes.write('daemon', (connection) => rewrapSome(connection, rotation, target));
    if (batch.rewrapped + batch.lost === 0) return done;
    done.rewrapped += batch.rewrapped;
    done.lost += batch.lost;
    onProgress(Math.min(1, (done.rewrapped + done.lost) / Math.max(1, total)));
  }
}

async function rewrapSome(
  connection: Connection,
  { random, masterKeys, dropLost, forgetSealed }: Rotation,
  target: MasterKey,
): Promise<Rewrapped> {
  const done: Rewrapped = { rewrapped: 0, lost: 0 };
  // A write under way may be adding a data key that its daemon wraps with the former master key.
  await lockWrites(connection);
  for (const row of await listDataKeysOfOthers(connection, target.id, ROWS)) {
    const masterKey = masterKeys.find(({ id }) => id === row.masterKeyId);
    if (masterKey) {
      await updateDataKey(connection, wrap(unwrap(row, masterKey), row.tenantId, target, random));
      done.rewrapped += 1;
    } else if (dropLost) {
      await dropDataKey(connection, row, target, random);
      await forgetSealed(connection, row.tenantId);
      done.lost += 1;
    } else {
      throw new AppError('unprocessable', `The master key named ${row.masterKeyId} is required but was not given.`);
    }
  }
  return done;
}

/** Replaces the daemon's own data key instead of deleting it, because it names the master key in use. */
async function dropDataKey(connection: Connection, row: DataKeyRow, target: MasterKey, random: Random): Promise<void> {
  if (row.tenantId === DAEMON) return updateDataKey(connection, wrap(random.bytes(32), DAEMON, target, random));
  await deleteDataKey(connection, row.tenantId);
}
