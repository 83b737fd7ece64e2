import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import { QUOTAS, type QuotaVariant } from '../../contract/limits.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import { isStorageFailure } from '../../db/storage-error.ts';
import { type Clock, utcDay } from '../../lib/clock.ts';
import { type MeteredTenant, periodOf, quotaExceeded } from './quota-period.ts';
import type { UsageCounts } from './usage-counts.ts';
import { addUsage, findUsed, updateQueryRefunded } from './usage-store.ts';

/** Queries that a grant allows at most, before the database is asked again. */
const GRANT = 200;
/** Near its quota a tenant has no grants: every query is counted exactly. */
const SPARE = 100;
const MAX_TENANTS = 10_000;

/**
 * How many queries each tenant may make before its quota is read again. A search of a tenant far from its quota is counted
 * in memory, because counting it in a separate transaction would make every search wait for the writes of others.
 */
export interface QueryGrants {
  /** Uses one query of the tenant's grant; `false` if it has none left or `terms` have changed. */
  take(tenantId: string, terms: string): boolean;
  /** Grants queries to a tenant whose quota has `left` queries, for as long as its day and tier (`terms`) last. */
  renew(tenantId: string, terms: string, left: number): void;
}

export function createQueryGrants(): QueryGrants {
  const grants = new Map<string, { terms: string; left: number }>();
  return {
    take(tenantId, terms) {
      const grant = grants.get(tenantId);
      if (grant?.terms !== terms || grant.left <= 0) return false;
      grant.left -= 1;
      return true;
    },
    renew(tenantId, terms, left) {
      grants.delete(tenantId);
      if (grants.size >= MAX_TENANTS) grants.delete(grants.keys().next().value!);
      if (left > SPARE) grants.set(tenantId, { terms, left: Math.min(GRANT, left - SPARE) });
    },
  };
}

/** Counts searches and contexts against the monthly quota. */
export interface QueryQuota {
  /**
   * Throws `quota_exceeded`, and `unauthenticated` if the tenant was erased. While the database cannot be written, queries
   * are not refused: they are counted if it can be written again within seconds.
   */
  take(tenant: MeteredTenant): Promise<void>;
  refund(tenant: MeteredTenant): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  variant: QuotaVariant;
  counts: UsageCounts;
  /** Whether other daemons may use the database. */
  isShared: boolean;
}

/**
 * Counts in memory far from the quota, and in the database near it. Daemons that share the database count every query
 * there: each would be granted the queries that are left.
 */
export function createQueryQuota({ db, clock, variant, counts, isShared }: Parts): QueryQuota {
  const grants = createQueryGrants();

  /** Counts one query each in the database; returns how many are left. */
  const takeQueries = db.writes.grouped<MeteredTenant, number>(
    async (connection, tenants) => {
      const nowMs = clock.nowMs();
      const period = periodOf(nowMs);
      const used = await findUsed(connection, [...new Set(tenants.map(({ tenantId }) => tenantId))], period);
      const taken = new Map<string, number>();
      const outcomes = tenants.map(({ tenantId, tier }): Outcome<number> => {
        const limit = QUOTAS[variant][tier].monthlyQueries;
        const usage = used.get(tenantId);
        if (!usage) return { refused: new AppError('unauthenticated', UNAUTHENTICATED) };
        const before = usage.queries + (taken.get(tenantId) ?? 0);
        if (limit !== null && before >= limit)
          return { refused: quotaExceeded('monthlyQueries', limit, before, nowMs) };
        taken.set(tenantId, (taken.get(tenantId) ?? 0) + 1);
        return { ok: (limit ?? Number.POSITIVE_INFINITY) - before - 1 };
      });
      const deltas = [...taken].map(([tenantId, queries]) => ({
        tenantId,
        day: period.day,
        requests: 0,
        memories: 0,
        queries,
      }));
      await addUsage(connection, deltas);
      return outcomes;
    },
    ({ tenantId }) => ({ tenantId, rows: 1, characters: 0 }),
    { isBookkeeping: true },
  );

  const termsOf = ({ tier }: MeteredTenant) => `${utcDay(clock.nowMs())} ${tier}`;
  const isUnlimited = ({ tier }: MeteredTenant) => QUOTAS[variant][tier].monthlyQueries === null;

  async function takeExactly(tenant: MeteredTenant): Promise<void> {
    // Queries counted in memory must be in the database before the next one is compared with the quota.
    await (counts.pendingQueriesOf(tenant.tenantId) > 0 ? counts.flush() : counts.settled());
    const left = await takeQueries(tenant);
    if (!isShared) grants.renew(tenant.tenantId, termsOf(tenant), left);
  }

  /** Searches continue while the database cannot be written. */
  function takeUnwritten({ tenantId }: MeteredTenant, error: unknown): void {
    if (!isStorageFailure(error)) throw error;
    counts.add(tenantId, 'queries', 1);
  }

  return {
    async take(tenant) {
      const isCounted = isUnlimited(tenant) || grants.take(tenant.tenantId, termsOf(tenant));
      if (isCounted) counts.add(tenant.tenantId, 'queries', 1);
      else await takeExactly(tenant).catch((error) => takeUnwritten(tenant, error));
    },
    async refund(tenant) {
      const { tenantId } = tenant;
      const isPending = isUnlimited(tenant) || counts.pendingQueriesOf(tenantId) > 0;
      if (isPending) counts.add(tenantId, 'queries', -1);
      else await db.writes.write(tenantId, (connection) => updateQueryRefunded(connection, tenantId));
    },
  };
}
