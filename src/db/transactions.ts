import type { Connection } from './connection.ts';
import type { Engine } from './dialect.ts';
import { isStorageFailure } from './storage-error.ts';

/** The queue that a write waits in: a tenant's (by its id), or the daemon's for writes of many tenants or of none. */
export type Writer = string | 'daemon';

/** How an engine runs the transactions of a group commit. */
export interface Transactions {
  begin(): Promise<void>;
  /**
   * Keeps writers of other processes out of the rows of these tenants until the transaction ends. Waits for up to `waitMs`
   * until others have ended; with 0, it returns at once those that others keep out, and the rows of which are not to be
   * touched.
   */
  lock(writers: readonly Writer[], waitMs: number): Promise<readonly Writer[]>;
  /** SQL that limits the following statements to the rows of these writers; empty if the engine cannot. */
  limitTo(writers: readonly Writer[]): string;
  /** Whether the engine undid the transaction because it collided with another, so that it can be repeated. */
  isCollision(error: unknown): boolean;
}

/** Transactions of SQLite, of which the whole database has one at a time. */
export function sqliteTransactions(connection: Connection): Transactions {
  return {
    /** Rolls back a transaction that a failed ROLLBACK left open. */
    async begin() {
      try {
        await connection.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (isStorageFailure(error)) throw error;
        await connection.exec('ROLLBACK');
        await connection.exec('BEGIN IMMEDIATE');
      }
    },
    lock: async () => [],
    limitTo: () => '',
    isCollision: () => false,
  };
}

/**
 * Ends a query of tenants, so that no other daemon erases those that it finds before the transaction ends. For writes of
 * the daemon itself, which hold no tenant's lock. SQLite has one write at a time.
 */
export function toStay(engine: Engine): string {
  return engine === 'postgres' ? 'FOR KEY SHARE' : '';
}

/** Ends a query of tenants like `toStay`, so that no other daemon writes for them either. */
export function toStayAlone(engine: Engine): string {
  return engine === 'postgres' ? 'FOR NO KEY UPDATE' : '';
}

/**
 * Waits until all writes that began before have ended, and keeps further ones out until the transaction ends. SQLite has
 * one write at a time.
 */
export async function lockWrites(connection: Connection): Promise<void> {
  if (connection.engine === 'postgres') await connection.run('LOCK TABLE tenants IN EXCLUSIVE MODE');
}
