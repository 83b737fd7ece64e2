import type { Connection } from './connection.ts';
import { isStorageFailure } from './storage-error.ts';

/** The queue that a write waits in: a tenant's (by its id), or the daemon's for writes of many tenants or of none. */
export type Writer = string | 'daemon';

/** How an engine runs the transactions of a group commit. */
export interface Transactions {
  begin(): Promise<void>;
  /** Keeps writers of other processes out of the rows of these tenants until the transaction ends. */
  lock(writers: readonly Writer[]): Promise<void>;
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
    lock: async () => {},
    limitTo: () => '',
    isCollision: () => false,
  };
}
