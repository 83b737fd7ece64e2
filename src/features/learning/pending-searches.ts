import type { Database } from '../../db/open.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Bucket, shareOf, takeToken } from '../../lib/token-bucket.ts';
import { type AnsweredSearchRow, insertSearches } from './learning-store.ts';

/** Searches pending to be written to the database in batches, after their answers were sent. */
export interface PendingSearches {
  /** Drops and counts the search where its tenant, or all together, exceed the limit. */
  add(row: AnsweredSearchRow): void;
  /** Whether a search is not yet in the database. */
  has(tenantId: string, id: string): boolean;
  /** Writes all pending searches; failures are logged and counted as dropped. Never throws. */
  flush(): Promise<void>;
  /** Discards the searches of a tenant, or of one of its users. */
  forget(tenantId: string, endUser?: string): void;
  /** How many were dropped since the process started. */
  dropped(): number;
}

const MAX_PENDING = 2000;

/** Rate limit per tenant: ample for people, and at most about a gigabyte a day for programs. */
const TENANT_RATE = { capacity: 20_000, refillPerSecond: 20_000 / 3600 };
const MAX_TENANTS = 10_000;

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  liveDaemons: () => number;
}

/** A bounded queue in front of the write queue. Each daemon allows its share of a tenant's limit. */
export function createPendingSearches({ db, clock, log, liveDaemons }: Parts): PendingSearches {
  const allowances = createBoundedMap<string, Bucket>(MAX_TENANTS);
  const pending = new Map<string, AnsweredSearchRow>();
  let droppedCount = 0;
  let running: Promise<void> = Promise.resolve();
  const keyOf = (tenantId: string, id: string) => `${tenantId} ${id}`;

  function isAllowed(tenantId: string): boolean {
    const { allowed, bucket } = takeToken(
      allowances.get(tenantId),
      shareOf(TENANT_RATE, liveDaemons()),
      clock.monotonicMs(),
    );
    allowances.set(tenantId, bucket);
    return allowed;
  }

  const store = db.writes.grouped<AnsweredSearchRow, void>(
    async (connection, rows) => {
      await insertSearches(connection, rows);
      return rows.map(() => ({ ok: undefined }));
    },
    ({ tenantId }) => ({ tenantId, rows: 1, characters: 0 }),
    { isBookkeeping: true },
  );

  async function writeAll(): Promise<void> {
    const rows = [...pending];
    const outcomes = await Promise.allSettled(rows.map(([, row]) => store(row)));
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
    for (const [key] of rows) pending.delete(key);
    if (failures.length === 0) return;
    droppedCount += failures.length;
    log.warn({ error: failures[0]!.reason, searches: failures.length }, 'could not store searches for feedback');
  }

  return {
    add(row) {
      if (pending.size < MAX_PENDING && isAllowed(row.tenantId)) pending.set(keyOf(row.tenantId, row.id), row);
      else droppedCount += 1;
    },
    has: (tenantId, id) => pending.has(keyOf(tenantId, id)),
    flush() {
      running = running.then(writeAll);
      return running;
    },
    forget(tenantId, endUser) {
      for (const [key, row] of pending) {
        const isTheirs = row.tenantId === tenantId && (endUser === undefined || row.endUser === endUser);
        if (isTheirs) pending.delete(key);
      }
    },
    dropped: () => droppedCount,
  };
}
