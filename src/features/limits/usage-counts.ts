import type { Database } from '../../db/open.ts';
import { type Clock, utcDay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { addUsage, type UsageDelta } from './usage-store.ts';

/** Counts in memory, written every few seconds: a crash loses the last of them. */
export interface UsageCounts {
  add(tenantId: string, metric: 'requests' | 'queries', by: number): void;
  /** Queries of today that are not written yet. */
  pendingQueriesOf(tenantId: string): number;
  /** Resolves once everything counted so far is written. */
  flush(): Promise<void>;
  /** Resolves once the writes in progress are done. */
  settled(): Promise<void>;
}

export function createUsageCounts({ db, clock, log }: { db: Database; clock: Clock; log: Log }): UsageCounts {
  const pending = new Map<string, UsageDelta>();
  let flushing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    if (pending.size === 0) return;
    const deltas = [...pending.values()];
    pending.clear();
    await db.writes
      .write('daemon', (connection) => addUsage(connection, deltas))
      .catch((error) => log.warn({ error }, 'failed to write request counts'));
  }

  return {
    add(tenantId, metric, by) {
      const day = utcDay(clock.nowMs());
      const delta = pending.get(tenantId + day) ?? { tenantId, day, requests: 0, memories: 0, queries: 0 };
      delta[metric] += by;
      pending.set(tenantId + day, delta);
    },
    pendingQueriesOf: (tenantId) => pending.get(tenantId + utcDay(clock.nowMs()))?.queries ?? 0,
    flush() {
      flushing = flushing.then(write);
      return flushing;
    },
    settled: () => flushing,
  };
}
