import { AppError } from '../../contract/errors.ts';
import type { Random } from '../../lib/random.ts';
import { deriveKey, seal, unseal } from '../../lib/seal.ts';
import type { DataKeyRow } from './envelope-store.ts';

/** What the master key is made into: the name under which it is known, and the key that wraps data keys. */
export interface MasterKey {
  id: string;
  wrapKey: Buffer;
}

/** The master keys at hand: the first one wraps, all of them open. */
export interface MasterKeys {
  /** They are the operator's own choice, not what svc made for the folder. */
  isGiven: boolean;
  current(): readonly MasterKey[];
  /** The first one; made where there is none. */
  ensure(): Promise<MasterKey>;
  /** Looks again where they come from: another process may have changed them. */
  reload(): Promise<readonly MasterKey[]>;
}

/** From 32 bytes. The name is derived like a key of its own, so that it tells nothing of the others. */
export function masterKeyOf(bytes: Buffer): MasterKey {
  return { id: deriveKey(bytes, 'name').toString('hex', 0, 8), wrapKey: deriveKey(bytes, 'wrap') };
}

/** A data key under a master key, bound to its owner. */
export function wrap(dataKey: Buffer, tenantId: string, { id, wrapKey }: MasterKey, random: Random): DataKeyRow {
  return { tenantId, masterKeyId: id, wrapped: seal(wrapKey, dataKey, contextOf(tenantId, id), random) };
}

/** Throws `unavailable` where the row was altered, or is another tenant's. */
export function unwrap({ tenantId, masterKeyId, wrapped }: DataKeyRow, { wrapKey }: MasterKey): Buffer {
  try {
    return unseal(wrapKey, wrapped, contextOf(tenantId, masterKeyId));
  } catch (cause) {
    throw new AppError('unavailable', 'A data key in the database was altered. Restore a backup.', { cause });
  }
}

function contextOf(tenantId: string, masterKeyId: string): string {
  return JSON.stringify(['data key', tenantId, masterKeyId]);
}
