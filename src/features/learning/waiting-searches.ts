import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { type Bucket, takeToken } from '../../lib/token-bucket.ts';
import { insertSearches, type SearchRow } from './learning-store.ts';

/** Searches on their way into the database: written together, some time after the answer. */
export interface WaitingSearches {
  /** Drops and counts it where its tenant, or all together, bring more than can be kept. */
  add(row: SearchRow): void;
  /** Whether a search is not in the database yet. */
  has(tenantId: string, id: string): boolean;
  /** Writes all that wait; what cannot be written is given up, logged and counted. Never throws. */
  flush(): Promise<void>;
  /** Gives up those of a tenant. */
  forget(tenantId: string): void;
  /** How many were given up since the start. */
  dropped(): number;
}

const MAX_WAITING = 2000;
/** Rows in one transaction: others' writes go on between. */
const ROWS = 200;

/** Of one tenant: what people ask, and no more than some gigabyte a day of what programs do. */
const KEPT_OF_A_TENANT = { capacity: 20_000, refillPerSecond: 20_000 / 3600 };
const MAX_TENANTS = 10_000;

/** A bounded queue before the queue of writes. */
export function createWaitingSearches({ db, clock, log }: { db: Database; clock: Clock; log: Log }): WaitingSearches {
  const allowances = new Map<string, Bucket>();
  const waiting = new Map<string, SearchRow>();
  let droppedCount = 0;
  let running: Promise<void> = Promise.resolve();
  const keyOf = (tenantId: string, id: string) => `${tenantId} ${id}`;

  function isAllowed(tenantId: string): boolean {
    if (allowances.size >= MAX_TENANTS) allowances.clear();
    const { allowed, bucket } = takeToken(allowances.get(tenantId), KEPT_OF_A_TENANT, clock.monotonicMs());
    allowances.set(tenantId, bucket);
    return allowed;
  }

  async function writeAll(): Promise<void> {
    const rows = [...waiting];
    for (let start = 0; start < rows.length; start += ROWS) {
      const part = rows.slice(start, start + ROWS);
      await db.writes
        .write((connection) =>
          insertSearches(
            connection,
            part.map(([, row]) => row),
          ),
        )
        .catch((error) => {
          droppedCount += part.length;
          log.warn({ error, searches: part.length }, 'could not keep searches for feedback');
        });
      for (const [key] of part) waiting.delete(key);
    }
  }

  return {
    add(row) {
      if (waiting.size < MAX_WAITING && isAllowed(row.tenantId)) waiting.set(keyOf(row.tenantId, row.id), row);
      else droppedCount += 1;
    },
    has: (tenantId, id) => waiting.has(keyOf(tenantId, id)),
    flush() {
      running = running.then(writeAll);
      return running;
    },
    forget(tenantId) {
      for (const key of waiting.keys()) if (key.startsWith(`${tenantId} `)) waiting.delete(key);
    },
    dropped: () => droppedCount,
  };
}
