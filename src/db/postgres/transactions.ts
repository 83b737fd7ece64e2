import type { Transactions, Writer } from '../transactions.ts';
import { type Session, type TransactionKind, visibleTo } from './connection.ts';
import { isCollision } from './storage-error.ts';

/** Names the lock of the daemons' own writes; any number that nothing else in the database uses. */
const DAEMONS_LOCK = 0x737663;

/**
 * Transactions whose writers are alone with their tenants among all daemons: what a write reads stays true until it
 * commits, as in a database with one writer. The daemons' own writes take turns too. Locks are taken in one order.
 */
export function postgresTransactions(session: Session, kind: TransactionKind = 'write'): Transactions {
  return {
    begin: () => session.begin('all', kind),
    async lock(writers) {
      const tenantIds = tenantsOf(writers);
      if (tenantIds.length < writers.length) await lockDaemonWrites(session);
      if (tenantIds.length === 0) return;
      await session.all(
        `SELECT 1 FROM tenants WHERE tenantId IN (SELECT value FROM texts(?)) ORDER BY tenantId FOR NO KEY UPDATE`,
        [JSON.stringify(tenantIds)],
      );
    },
    limitTo: (writers) => visibleTo(writers.includes('daemon') ? 'all' : writers),
    isCollision,
  };
}

/** Waits for the daemons' own writes that are under way, and keeps others from beginning until the transaction ends. */
export async function lockDaemonWrites(session: Session): Promise<void> {
  await session.all('SELECT pg_advisory_xact_lock(?)', [DAEMONS_LOCK]);
}

function tenantsOf(writers: readonly Writer[]): string[] {
  return writers.filter((writer) => writer !== 'daemon');
}
