import { type Account, UNAUTHENTICATED, type UsageDays } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import { QUOTAS, type QuotaVariant, type StorageLimits } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, nextUtcDayMs, nextUtcMonthMs, toTimestamp, utcDay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { createQueryQuota } from './query-quota.ts';
import { type MeteredTenant, periodOf, quotaExceeded } from './quota-period.ts';
import { createStorage, type Storage } from './storage.ts';
import { createUsageCounts } from './usage-counts.ts';
import { addUsage, deleteUsageOf, findUsed, listUsageDays } from './usage-store.ts';

export type { MeteredTenant } from './quota-period.ts';

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
  isShared,
}: {
  db: Database;
  clock: Clock;
  log: Log;
  variant: QuotaVariant;
  storageLimits: StorageLimits;
  /** Whether other daemons may use the database. */
  isShared: boolean;
}): Usage {
  const storage = createStorage({ limits: storageLimits });

  const counts = createUsageCounts({ db, clock, log });
  const queries = createQueryQuota({ db, clock, variant, counts, isShared });

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
    takeQuery: queries.take,
    refundQuery: queries.refund,
    async requireMemoryQuota({ tenantId, tier }) {
      const nowMs = clock.nowMs();
      const limit = QUOTAS[variant][tier].dailyMemories;
      if (limit === null) return;
      const used = (await findUsed(db.lookups, [tenantId], periodOf(nowMs))).get(tenantId)?.memories ?? 0;
      if (used >= limit) throw quotaExceeded('dailyMemories', limit, used, nowMs);
    },
    async quotasOf({ tenantId, tier }) {
      const nowMs = clock.nowMs();
      const read = () => findUsed(db.lookups, [tenantId], periodOf(nowMs));
      const used = (await counts.readBetweenWrites(read)).get(tenantId);
      const usedQueries = (used?.queries ?? 0) + counts.pendingQueriesOf(tenantId);
      const limits = QUOTAS[variant][tier];
      return {
        dailyMemories: {
          limit: limits.dailyMemories,
          used: used?.memories ?? 0,
          resetsAt: toTimestamp(nextUtcDayMs(nowMs)),
        },
        monthlyQueries: {
          limit: limits.monthlyQueries,
          used: usedQueries,
          resetsAt: toTimestamp(nextUtcMonthMs(nowMs)),
        },
        storedBytes: await storage.stateOf(db.lookups, tenantId, tier),
      };
    },
    countRequest: (tenantId) => counts.add(tenantId, 'requests', 1),
    flushRequests: counts.flush,
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
