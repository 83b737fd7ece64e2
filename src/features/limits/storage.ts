import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { StorageLimits, StorageState, Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { findStorage, listWrongTotals, type StorageRow } from './usage-store.ts';

/** How many bytes each tenant may still store, as seen by one transaction. */
export interface StorageAllowance {
  /** Takes `bytes` from the tenant's allowance, or returns the error. Nothing to take is always allowed. */
  take(tenantId: string, bytes: number): AppError | undefined;
}

/**
 * The bytes of text that a tenant stores, limited by its tier. Triggers keep the total, so a write only has to ask: with
 * `allowanceOf` where many share a transaction, otherwise with `within`.
 */
export interface Storage {
  allowanceOf(connection: Connection, tenantIds: readonly string[]): Promise<StorageAllowance>;
  /**
   * Runs a write in the caller's transaction. Throws `quota_exceeded` if the tenant then stores more than before and more
   * than its limit: a write that frees room is always allowed.
   */
  within<T>(connection: Connection, tenantId: string, write: () => Promise<T>): Promise<T>;
  /** Throws `quota_exceeded` if the tenant has no room for `bytes` more. */
  requireRoom(reader: Reader, tenantId: string, bytes: number): Promise<void>;
  stateOf(reader: Reader, tenantId: string, tier: Tier): Promise<StorageState>;
}

export function createStorage({ limits }: { limits: StorageLimits }): Storage {
  function refusalOf({ tier, storedBytes }: StorageRow, added: number): AppError | undefined {
    const limit = limits[tier];
    if (limit === null || added <= 0 || storedBytes + added <= limit) return undefined;
    return new AppError(
      'quota_exceeded',
      `Your account stores ${storedBytes} of ${limit} bytes of text, and this adds ${added}. Delete something to free room.`,
      { extra: { quota: 'storedBytes', limit, used: storedBytes, resetsAt: null } },
    );
  }

  async function requireStorage(reader: Reader, tenantId: string): Promise<StorageRow> {
    const row = (await findStorage(reader, [tenantId])).get(tenantId);
    if (!row) throw new AppError('unauthenticated', UNAUTHENTICATED);
    return row;
  }

  return {
    async allowanceOf(connection, tenantIds) {
      const rows = await findStorage(connection, [...new Set(tenantIds)]);
      return {
        take(tenantId, bytes) {
          const row = rows.get(tenantId);
          if (!row) return new AppError('unauthenticated', UNAUTHENTICATED);
          const refused = refusalOf(row, bytes);
          if (!refused) rows.set(tenantId, { ...row, storedBytes: row.storedBytes + bytes });
          return refused;
        },
      };
    },
    async within(connection, tenantId, write) {
      const before = await requireStorage(connection, tenantId);
      const result = await write();
      const { storedBytes } = await requireStorage(connection, tenantId);
      const refused = refusalOf(before, storedBytes - before.storedBytes);
      if (refused) throw refused;
      return result;
    },
    async requireRoom(reader, tenantId, bytes) {
      const refused = refusalOf(await requireStorage(reader, tenantId), bytes);
      if (refused) throw refused;
    },
    async stateOf(reader, tenantId, tier) {
      const used = (await findStorage(reader, [tenantId])).get(tenantId)?.storedBytes ?? 0;
      return { limit: limits[tier], used, resetsAt: null };
    },
  };
}

/** Describes totals that differ from the rows. */
export async function storageProblems(connection: Connection): Promise<string[]> {
  const wrong = await listWrongTotals(connection, 20);
  return wrong.map(
    ({ tenantId, storedBytes, bytes }) =>
      `account ${tenantId} is counted with ${storedBytes} stored bytes, but its rows have ${bytes}`,
  );
}
