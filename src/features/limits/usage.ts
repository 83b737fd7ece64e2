import { type Account, UNAUTHENTICATED, type UsageDays } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import { QUOTAS, type QuotaName, type QuotaVariant, type StorageLimits, type Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import { isStorageFailure } from '../../db/storage-error.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import { type Clock, nextUtcDayMs, nextUtcMonthMs, toTimestamp, utcDay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { createStorage, type Storage } from './storage.ts';
import {
  addUsage,
  deleteUsageOf,
  findUsed,
  listUsageDays,
  type UsageDelta,
  updateQueryRefunded,
} from './usage-store.ts';

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
  const grants = createBoundedMap<string, { terms: string; left: number }>(MAX_TENANTS);
  return {
    take(tenantId, terms) {
      const grant = grants.get(tenantId);
      if (grant?.terms !== terms || grant.left <= 0) return false;
      grant.left -= 1;
      return true;
    },
    renew(tenantId, terms, left) {
      grants.delete(tenantId);
      if (left > SPARE) grants.set(tenantId, { terms, left: Math.min(GRANT, left - SPARE) });
    },
  };
}

/** Counts searches and contexts against the monthly quota. */
interface QueryQuota {
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
function createQueryQuota({ db, clock, variant, counts, isShared }: Parts): QueryQuota {
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
    await (counts.pendingQueriesOf(tenant.tenantId, 'month') > 0 ? counts.flush() : counts.settled());
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
      if (counts.pendingQueriesOf(tenantId, 'day') > 0) counts.add(tenantId, 'queries', -1);
      else await db.writes.write(tenantId, (connection) => updateQueryRefunded(connection, tenantId));
    },
  };
}

/** Counts in memory, written every few seconds: a crash loses the last of them. */
interface UsageCounts {
  add(tenantId: string, metric: 'requests' | 'queries', by: number): void;
  /** Queries of today, or of this month, that are not written yet. */
  pendingQueriesOf(tenantId: string, of: 'day' | 'month'): number;
  /** What was counted on a UTC day and is not written yet. */
  pendingOn(tenantId: string, day: string): { requests: number; queries: number };
  /** Reads again if counts were written meanwhile, so that what is read and what is pending are of one moment. */
  readBetweenWrites<T>(read: () => Promise<T>): Promise<T>;
  /** Resolves once everything counted so far is written. */
  flush(): Promise<void>;
  /** Resolves once the writes in progress are done. */
  settled(): Promise<void>;
}

function createUsageCounts({ db, clock, log }: { db: Database; clock: Clock; log: Log }): UsageCounts {
  const pending = new Map<string, UsageDelta>();
  /** What is being written. */
  let writing: ReadonlyMap<string, UsageDelta> = new Map();
  let writes = 0;
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (pending.size === 0) return;
    writing = new Map(pending);
    pending.clear();
    const deltas = [...writing.values()];
    await db.writes
      .write('daemon', (connection) => addUsage(connection, deltas))
      .catch((error) => log.warn({ error }, 'failed to write request counts'));
    writing = new Map();
    writes += 1;
  }

  function pendingOn(tenantId: string, day: string): { requests: number; queries: number } {
    const sum = { requests: 0, queries: 0 };
    for (const counted of [pending.get(tenantId + day), writing.get(tenantId + day)]) {
      sum.requests += counted?.requests ?? 0;
      sum.queries += counted?.queries ?? 0;
    }
    return sum;
  }

  function pendingQueriesOf(tenantId: string, of: 'day' | 'month'): number {
    const { day: today, monthStart } = periodOf(clock.nowMs());
    const yesterday = utcDay(clock.nowMs() - 86_400_000);
    // What was counted before midnight is written seconds after it.
    const days = [today, ...(of === 'month' && yesterday >= monthStart ? [yesterday] : [])];
    return days.reduce((sum, day) => sum + pendingOn(tenantId, day).queries, 0);
  }

  async function readBetweenWrites<T>(read: () => Promise<T>): Promise<T> {
    const before = writes;
    const found = await read();
    return writes === before ? found : readBetweenWrites(read);
  }

  return {
    add(tenantId, metric, by) {
      const day = utcDay(clock.nowMs());
      const delta = pending.get(tenantId + day) ?? { tenantId, day, requests: 0, memories: 0, queries: 0 };
      delta[metric] += by;
      pending.set(tenantId + day, delta);
    },
    pendingQueriesOf,
    pendingOn,
    readBetweenWrites,
    flush() {
      flushing = flushing.then(write);
      return flushing;
    },
    settled: () => flushing,
  };
}

/** A tenant whose usage is counted, and the tier that sets its quotas. */
export type MeteredTenant = { tenantId: string; tier: Tier };

/** The UTC day and month in which quotas are counted. */
function periodOf(nowMs: number): { day: string; monthStart: string } {
  return { day: utcDay(nowMs), monthStart: `${utcDay(nowMs).slice(0, 7)}-01` };
}

/** The error for a quota that is used up, with the time at which it resets. */
function quotaExceeded(quota: QuotaName, limit: number, used: number, nowMs: number): AppError {
  const resetMs = quota === 'dailyMemories' ? nextUtcDayMs(nowMs) : nextUtcMonthMs(nowMs);
  const resetsAt = toTimestamp(resetMs);
  const period = quota === 'dailyMemories' ? 'memories today' : 'queries this month';
  return new AppError('quota_exceeded', `You have used ${used} of ${limit} ${period}. Resets at ${resetsAt}.`, {
    retryAfterSeconds: Math.max(1, Math.ceil((resetMs - nowMs) / 1000)),
    extra: { quota, limit, used, resetsAt },
  });
}

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
          if (limit !== null && count > 0 && before + count > limit)
            return quotaExceeded('dailyMemories', limit, before, nowMs);
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
      const usedQueries = (used?.queries ?? 0) + counts.pendingQueriesOf(tenantId, 'month');
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
      const read = () => listUsageDays(db.readers, tenantId, utcDay(firstMs));
      const rows = new Map((await counts.readBetweenWrites(read)).map((row) => [row.day, row]));
      const today = utcDay(clock.nowMs());
      return {
        days: Array.from({ length: days }, (_, index) => {
          const day = utcDay(firstMs + index * dayMs);
          const { requests, memories, queries } = rows.get(day) ?? { requests: 0, memories: 0, queries: 0 };
          const pending = counts.pendingOn(tenantId, day);
          // Without the request that asks.
          const pendingRequests = Math.max(0, pending.requests - Number(day === today));
          return { day, requests: requests + pendingRequests, memories, queries: queries + pending.queries };
        }),
        storedBytes: await storage.stateOf(db.lookups, tenantId, tier),
      };
    },
    storage,
    erase: deleteUsageOf,
  };
}
