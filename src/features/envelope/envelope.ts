import { AppError } from '../../contract/errors.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { deriveKey, seal, unseal } from '../../lib/seal.ts';
import {
  countDataKeys,
  type DataKeyRow,
  deleteDataKey,
  deleteUnusedDataKey,
  findDataKey,
  insertDataKey,
} from './envelope-store.ts';
import { type MasterKey, type MasterKeys, unwrap, wrap } from './master-key.ts';

/**
 * Envelope encryption (NIST SP 800-57, key wrapping): a master key, kept outside the database, wraps one data key per
 * tenant, which seals that tenant's secrets. Changing the master key only rewraps data keys.
 */
export interface Envelope {
  /**
   * Returns the daemon's own data key, created at the first start. Throws `unprocessable` if the master key that
   * wrapped it is not available and sealed secrets could not be opened.
   */
  begin(): Promise<Buffer>;
  /** Seals a tenant's secret in the caller's transaction, creating the tenant's data key if needed. */
  seal(connection: Connection, tenantId: string, plaintext: string, context: string): Promise<Buffer>;
  /** Throws `unavailable`, and logs it, if the ciphertext was altered or belongs to another context. */
  open(reader: Reader, tenantId: string, sealed: Buffer, context: string): Promise<string>;
  /**
   * Deletes a tenant's data key in the caller's transaction once nothing is stored that it sealed: what was, can never be
   * opened again.
   */
  forgetUnused(connection: Connection, tenantId: string): Promise<void>;
}

interface Parts {
  db: Database;
  random: Random;
  log: Log;
  masterKeys: MasterKeys;
}

/** Owner of the data key that seals the daemon's own secrets. */
export const DAEMON = '';
const KEY_BYTES = 32;

/** Keeps only the derived wrapping keys in memory; data keys are unwrapped on use. */
export function createEnvelope({ db, random, log, masterKeys }: Parts): Envelope {
  async function masterKeyNamed(id: string): Promise<MasterKey | undefined> {
    const named = (keys: readonly MasterKey[]) => keys.find((key) => key.id === id);
    return named(masterKeys.current()) ?? named(await masterKeys.reload());
  }

  /** The master key that wraps the daemon's own data key also wraps new ones. */
  async function masterKeyInForce(reader: Reader): Promise<MasterKey> {
    const own = await findDataKey(reader, DAEMON);
    const masterKey = own && (await masterKeyNamed(own.masterKeyId));
    if (!masterKey) throw masterKeyChanged();
    return masterKey;
  }

  async function dataKeyOf(reader: Reader, tenantId: string): Promise<Buffer | undefined> {
    // Retry once: the key may have been rewrapped since the row was read.
    for (let tries = 0; tries < 2; tries += 1) {
      const row = await findDataKey(reader, tenantId);
      if (row === undefined) return undefined;
      const masterKey = await masterKeyNamed(row.masterKeyId);
      if (masterKey) return deriveKey(unwrap(row, masterKey), 'seal');
    }
    throw masterKeyChanged();
  }

  async function makeDataKey(connection: Connection, tenantId: string, masterKey: MasterKey): Promise<Buffer> {
    const dataKey = random.bytes(KEY_BYTES);
    await insertDataKey(connection, wrap(dataKey, tenantId, masterKey, random));
    return dataKey;
  }

  /**
   * Replaces the daemon's own data key, or makes the first, unless another daemon just did. Invalidates what was sealed
   * with it: queued mails, cursors, codes.
   */
  async function startOver(former?: DataKeyRow): Promise<Buffer> {
    const masterKey = await masterKeys.ensure();
    return db.writes.write('daemon', async (connection) => {
      const row = await findDataKey(connection, DAEMON);
      if (row?.masterKeyId === masterKey.id) return unwrap(row, masterKey);
      if (row && row.masterKeyId !== former?.masterKeyId) throw wrongMasterKey(row, [masterKey]);
      await deleteDataKey(connection, DAEMON);
      return makeDataKey(connection, DAEMON, masterKey);
    });
  }

  return {
    async begin() {
      const row = await findDataKey(db.readers, DAEMON);
      if (row === undefined) return startOver();
      const masterKey = await masterKeyNamed(row.masterKeyId);
      if (masterKey) return unwrap(row, masterKey);
      const { all } = await countDataKeys(db.readers, row.masterKeyId);
      // A backup restored into a folder with its own generated master key: no tenant secrets are affected.
      if (!masterKeys.isGiven && all === 1) {
        log.warn(
          { masterKey: row.masterKeyId },
          "the database used another master key that sealed no account's secrets; it now uses this folder's",
        );
        return startOver(row);
      }
      throw wrongMasterKey(row, masterKeys.current());
    },
    async seal(connection, tenantId, plaintext, context) {
      const known = await dataKeyOf(connection, tenantId);
      const key =
        known ?? deriveKey(await makeDataKey(connection, tenantId, await masterKeyInForce(connection)), 'seal');
      return seal(key, Buffer.from(plaintext), context, random);
    },
    async open(reader, tenantId, sealed, context) {
      try {
        const key = await dataKeyOf(reader, tenantId);
        if (key === undefined)
          throw new AppError('unavailable', 'The data key of this secret is missing from the database.');
        return unseal(key, sealed, context).toString('utf8');
      } catch (error) {
        log.error({ tenantId, reason: (error as Error).message }, 'cannot unseal a secret');
        if (error instanceof AppError) throw error;
        throw new AppError(
          'unavailable',
          'The stored secret cannot be unsealed because it was altered. Enter it again.',
        );
      }
    },
    forgetUnused: deleteUnusedDataKey,
  };
}

/** Returns the name of the master key that the database needs, or `undefined` if no tenant's secrets are sealed. */
export async function requiredMasterKey(reader: Reader): Promise<string | undefined> {
  const row = await findDataKey(reader, DAEMON);
  return row && (await countDataKeys(reader, row.masterKeyId)).all > 1 ? row.masterKeyId : undefined;
}

/** Throws `unprocessable` unless one of these master keys opens the data keys of the database. */
export async function requireMasterKey(reader: Reader, masterKeys: readonly MasterKey[]): Promise<void> {
  const row = await findDataKey(reader, DAEMON);
  if (row === undefined) return;
  const masterKey = masterKeys.find(({ id }) => id === row.masterKeyId);
  if (!masterKey) throw wrongMasterKey(row, masterKeys);
  unwrap(row, masterKey);
}

function masterKeyChanged(): AppError {
  return new AppError('unavailable', 'The master key has changed: restart svc with the new one.');
}

function wrongMasterKey({ masterKeyId }: DataKeyRow, known: readonly MasterKey[]): AppError {
  const given = known.length === 0 ? 'none was given' : `svc was given ${known.map(({ id }) => id).join(', ')}`;
  const detail = [
    `The master key does not match this database, which needs the key named ${masterKeyId}, and ${given}. Set`,
    'SVC_MASTER_KEY to that key, or copy its master.key into the data folder (backups do not contain it). If it is lost,',
    'svc admin rotate-master-key --lost starts over without the provider keys that it sealed.',
  ].join(' ');
  return new AppError('unprocessable', detail);
}
