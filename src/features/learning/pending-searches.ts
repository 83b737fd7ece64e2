import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Bucket, shareOf, takeToken } from '../../lib/token-bucket.ts';
import { insertSearches, type SearchRow } from './learning-store.ts';

/** Searches pending to be written to the database in batches, after their answers were sent. */
export interface PendingSearches {
  /** Drops and counts the search where its tenant, or all together, exceed the limit. */
  add(row: SearchRow): void;
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
/** Rows per transaction, so that other writes are not held up. */
const BATCH_ROWS = 200;

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
  const allowances = new Map<string, Bucket>();
  const pending = new Map<string, SearchRow>();
  let droppedCount = 0;
  let running: Promise<void> = Promise.resolve();
  const keyOf = (tenantId: string, id: string) => `${tenantId} ${id}`;

  function isAllowed(tenantId: string): boolean {
    if (allowances.size >= MAX_TENANTS) allowances.clear();
    const { allowed, bucket } = takeToken(
      allowances.get(tenantId),
      shareOf(TENANT_RATE, liveDaemons()),
      clock.monotonicMs(),
    );
    allowances.set(tenantId, bucket);
    return allowed;
  }

  async function writeAll(): Promise<void> {
    const rows = [...pending];
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      const batch = rows.slice(start, start + BATCH_ROWS);
      await db.writes
        .write('daemon', (connection) =>
          insertSearches(
            connection,
            batch.map(([, row]) => row),
          ),
        )
        .catch((error) => {
          droppedCount += batch.length;
          log.warn({ error, searches: batch.length }, 'could not store searches for feedback');
        });
      for (const [key] of batch) pending.delete(key);
    }
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
