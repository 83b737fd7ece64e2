import { type Account, UNAUTHENTICATED, type UsageDays } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import { QUOTAS, type QuotaName, type QuotaVariant, type StorageLimits, type Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, nextUtcDayMs, nextUtcMonthMs, toTimestamp, utcDay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { createQueryGrants } from './query-grants.ts';
import { createStorage, type Storage } from './storage.ts';
import {
  addUsage,
  deleteUsageOf,
  findUsed,
  listUsageDays,
  type UsageDelta,
  updateQueryRefunded,
} from './usage-store.ts';

/** A tenant whose usage is counted, and the tier that sets its quotas. */
export type MeteredTenant = { tenantId: string; tier: Tier };

/** How many memories, and how many bytes of them, each tenant may still add, as seen by one transaction. */
export interface MemoryAllowance {
  /** Takes `count` memories of `bytes` from the tenant's allowance, or returns the error. Writes nothing until `store`. */
  take(tenant: MeteredTenant, count: number, bytes: number): AppError | undefined;
  /** Writes what was taken, in the same transaction. */
  store(connection: Connection): Promise<void>;
}

/** Quotas and daily usage, by UTC day and month, and stored bytes. */
export interface Usage {
  /**
   * Throws `unauthenticated` if one of the tenants was erased since its key was checked: a write would leave orphaned
   * rows.
   */
  allowanceOf(connection: Connection, tenants: MeteredTenant[], nowMs: number): Promise<MemoryAllowance>;
  /** For writes that do not count against a quota. Throws `unauthenticated` like `allowanceOf`. */
  requireTenant(reader: Reader, tenantId: string): Promise<void>;
  /**
   * Counts one search or context call: durably near the quota, otherwise in the background like requests.
   * Throws `quota_exceeded`, and `unauthenticated` like `allowanceOf`.
   */
  takeQuery(tenant: MeteredTenant): Promise<void>;
  /** Refunds a query that failed. */
  refundQuery(tenant: MeteredTenant): Promise<void>;
  /** Throws `quota_exceeded` if the tenant cannot add another memory today. */
  requireMemoryQuota(tenant: MeteredTenant): Promise<void>;
  quotasOf(tenant: MeteredTenant): Promise<Account['quotas']>;
  /** Counts a request. Written in the background: a crash may lose the last few seconds of this count. */
  countRequest(tenantId: string): void;
  flushRequests(): Promise<void>;
  /** Usage by day, and the bytes that the tenant stores now. */
  days(tenant: MeteredTenant, days: number): Promise<UsageDays>;
  storage: Storage;
  erase(connection: Connection, tenantId: string): Promise<void>;
}

export function createUsage({
  db,
  clock,
  log,
  variant,
  storageLimits,
}: {
  db: Database;
  clock: Clock;
  log: Log;
  variant: QuotaVariant;
  storageLimits: StorageLimits;
}): Usage {
  const storage = createStorage({ limits: storageLimits });
  const pendingCounts = new Map<string, UsageDelta>();
  const periodOf = (nowMs: number) => ({ day: utcDay(nowMs), monthStart: `${utcDay(nowMs).slice(0, 7)}-01` });

  const grants = createQueryGrants();
  let flushing: Promise<void> = Promise.resolve();

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
  );

  const termsOf = ({ tier }: MeteredTenant) => `${utcDay(clock.nowMs())} ${tier}`;
  const isUnlimited = ({ tier }: MeteredTenant) => QUOTAS[variant][tier].monthlyQueries === null;

  /** Counts in memory until `flushRequests` writes it. */
  function count(tenantId: string, metric: 'requests' | 'queries', by: number): void {
    const day = utcDay(clock.nowMs());
    const delta = pendingCounts.get(tenantId + day) ?? { tenantId, day, requests: 0, memories: 0, queries: 0 };
    delta[metric] += by;
    pendingCounts.set(tenantId + day, delta);
  }

  async function flush(): Promise<void> {
    if (pendingCounts.size === 0) return;
    const deltas = [...pendingCounts.values()];
    pendingCounts.clear();
    await db.writes
      .write('daemon', (connection) => addUsage(connection, deltas))
      .catch((error) => log.warn({ error }, 'failed to write request counts'));
  }

  function flushRequests(): Promise<void> {
    flushing = flushing.then(flush);
    return flushing;
  }

  async function takeExactly(tenant: MeteredTenant): Promise<void> {
    // Queries counted in memory must be in the database before the next one is compared with the quota.
    await (pendingOf(tenant.tenantId) > 0 ? flushRequests() : flushing);
    const left = await takeQueries(tenant);
    grants.renew(tenant.tenantId, termsOf(tenant), left);
  }

  const pendingOf = (tenantId: string) => pendingCounts.get(tenantId + utcDay(clock.nowMs()))?.queries ?? 0;

  return {
    async allowanceOf(connection, tenants, nowMs) {
      const period = periodOf(nowMs);
      const used = await findUsed(connection, [...new Set(tenants.map(({ tenantId }) => tenantId))], period);
      if (tenants.some(({ tenantId }) => !used.has(tenantId))) throw new AppError('unauthenticated', UNAUTHENTICATED);
      const room = await storage.allowanceOf(connection, [...used.keys()]);
      const taken = new Map<string, number>();
      return {
        take({ tenantId, tier }, count, bytes) {
          const limit = QUOTAS[variant][tier].dailyMemories;
          const before = (used.get(tenantId)?.memories ?? 0) + (taken.get(tenantId) ?? 0);
          if (limit !== null && before + count > limit) return quotaExceeded('dailyMemories', limit, before, nowMs);
          const full = room.take(tenantId, bytes);
          if (full) return full;
          if (count > 0) taken.set(tenantId, (taken.get(tenantId) ?? 0) + count);
          return undefined;
        },
        store: (on) =>
          addUsage(
            on,
            [...taken].map(([tenantId, memories]) => ({
              tenantId,
              day: period.day,
              requests: 0,
              memories,
              queries: 0,
            })),
          ),
      };
    },
    async requireTenant(reader, tenantId) {
      const used = await findUsed(reader, [tenantId], periodOf(clock.nowMs()));
      if (!used.has(tenantId)) throw new AppError('unauthenticated', UNAUTHENTICATED);
    },
    async takeQuery(tenant) {
      const isCounted = isUnlimited(tenant) || grants.take(tenant.tenantId, termsOf(tenant));
      if (isCounted) count(tenant.tenantId, 'queries', 1);
      else await takeExactly(tenant);
    },
    async refundQuery(tenant) {
      if (isUnlimited(tenant) || pendingOf(tenant.tenantId) > 0) count(tenant.tenantId, 'queries', -1);
      else await db.writes.write(tenant.tenantId, (connection) => updateQueryRefunded(connection, tenant.tenantId));
    },
    async requireMemoryQuota({ tenantId, tier }) {
      const nowMs = clock.nowMs();
      const limit = QUOTAS[variant][tier].dailyMemories;
      if (limit === null) return;
      const used = (await findUsed(db.lookups, [tenantId], periodOf(nowMs))).get(tenantId)?.memories ?? 0;
      if (used >= limit) throw quotaExceeded('dailyMemories', limit, used, nowMs);
    },
    async quotasOf({ tenantId, tier }) {
      const nowMs = clock.nowMs();
      const used = (await findUsed(db.lookups, [tenantId], periodOf(nowMs))).get(tenantId);
      const limits = QUOTAS[variant][tier];
      return {
        dailyMemories: {
          limit: limits.dailyMemories,
          used: used?.memories ?? 0,
          resetsAt: toTimestamp(nextUtcDayMs(nowMs)),
        },
        monthlyQueries: {
          limit: limits.monthlyQueries,
          used: (used?.queries ?? 0) + pendingOf(tenantId),
          resetsAt: toTimestamp(nextUtcMonthMs(nowMs)),
        },
        storedBytes: await storage.stateOf(db.lookups, tenantId, tier),
      };
    },
    countRequest: (tenantId) => count(tenantId, 'requests', 1),
    flushRequests,
    async days({ tenantId, tier }, days) {
      const dayMs = 86_400_000;
      const firstMs = clock.nowMs() - (days - 1) * dayMs;
      const rows = new Map((await listUsageDays(db.readers, tenantId, utcDay(firstMs))).map((row) => [row.day, row]));
      return {
        days: Array.from({ length: days }, (_, index) => {
          const day = utcDay(firstMs + index * dayMs);
          return rows.get(day) ?? { day, requests: 0, memories: 0, queries: 0 };
        }),
        storedBytes: await storage.stateOf(db.lookups, tenantId, tier),
      };
    },
    storage,
    erase: deleteUsageOf,
  };
}

function quotaExceeded(quota: QuotaName, limit: number, used: number, nowMs: number): AppError {
  const resetMs = quota === 'dailyMemories' ? nextUtcDayMs(nowMs) : nextUtcMonthMs(nowMs);
  const resetsAt = toTimestamp(resetMs);
  const period = quota === 'dailyMemories' ? 'memories today' : 'queries this month';
  return new AppError('quota_exceeded', `You have used ${used} of ${limit} ${period}. Resets at ${resetsAt}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
    extra: { quota, limit, used, resetsAt },
  });
}
