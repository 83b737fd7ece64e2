import type { Owner } from '../owner.ts';
import type { Transactions, Writer } from '../transactions.ts';
import { type Session, type TransactionKind, visibleTo } from './connection.ts';
import { isCollision } from './storage-error.ts';

/** Names the lock of the daemons' own writes; any number that nothing else in the database uses. */
const DAEMONS_LOCK = 0x737663;

/** In the order in which all daemons lock them. */
const TENANTS = 'SELECT tenantId FROM tenants WHERE tenantId IN (SELECT value FROM texts(?)) ORDER BY tenantId';

/**
 * Transactions whose writers are alone with their tenants among all daemons: what a write reads stays true until it
 * commits, as in a database with one writer. The daemons' own writes take turns too. Locks are taken in one order.
 */
export function postgresTransactions(session: Session, kind: TransactionKind = 'write'): Transactions {
  return {
    begin: () => session.begin('all', kind),
    async lock(writers, waitMs) {
      const tenantIds = writers.filter((writer) => writer !== 'daemon');
      const isDaemons = tenantIds.length < writers.length;
      if (waitMs === 0) {
        const busy: Writer[] = await lockFree(session, tenantIds);
        if (isDaemons && !(await lockFreeDaemonWrites(session))) busy.push('daemon');
        return busy;
      }
      await session.exec(`SET LOCAL lock_timeout = ${Math.ceil(waitMs)}`);
      if (isDaemons) await lockDaemonWrites(session);
      if (tenantIds.length > 0) await session.all(`${TENANTS} FOR NO KEY UPDATE`, [JSON.stringify(tenantIds)]);
      return [];
    },
    limitTo: (writers) => visibleTo(writers.includes('daemon') ? 'all' : writers),
    isCollision,
  };
}

/** Waits for the daemons' own writes that are under way, and keeps others from beginning until the transaction ends. */
export async function lockDaemonWrites(session: Session): Promise<void> {
  await session.all('SELECT pg_advisory_xact_lock(?)', [DAEMONS_LOCK]);
}

async function lockFreeDaemonWrites(session: Session): Promise<boolean> {
  const row = await session.get<{ isLocked: boolean }>('SELECT pg_try_advisory_xact_lock(?) AS isLocked', [
    DAEMONS_LOCK,
  ]);
  return row!.isLocked;
}

/** Locks the tenants that nobody else has locked, and returns the others. Those that do not exist count as locked. */
async function lockFree(session: Session, tenantIds: readonly string[]): Promise<string[]> {
  if (tenantIds.length === 0) return [];
  const locked = await session.all<Pick<Owner, 'tenantId'>>(`${TENANTS} FOR NO KEY UPDATE SKIP LOCKED`, [
    JSON.stringify(tenantIds),
  ]);
  if (locked.length === tenantIds.length) return [];
  const lockedIds = new Set(locked.map(({ tenantId }) => tenantId));
  const existing = await session.all<Pick<Owner, 'tenantId'>>(TENANTS, [
    JSON.stringify(tenantIds.filter((tenantId) => !lockedIds.has(tenantId))),
  ]);
  return existing.map(({ tenantId }) => tenantId);
}
