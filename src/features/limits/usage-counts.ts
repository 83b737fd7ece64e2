import type { Database } from '../../db/open.ts';
import { type Clock, utcDay } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { addUsage, type UsageDelta } from './usage-store.ts';

/** Counts in memory, written every few seconds: a crash loses the last of them. */
export interface UsageCounts {
  add(tenantId: string, metric: 'requests' | 'queries', by: number): void;
  /** Queries of today that are not written yet. */
  pendingQueriesOf(tenantId: string): number;
  /** Reads again if counts were written meanwhile, so that what is read and what is pending are of one moment. */
  readBetweenWrites<T>(read: () => Promise<T>): Promise<T>;
  /** Resolves once everything counted so far is written. */
  flush(): Promise<void>;
  /** Resolves once the writes in progress are done. */
  settled(): Promise<void>;
}

export function createUsageCounts({ db, clock, log }: { db: Database; clock: Clock; log: Log }): UsageCounts {
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

  function pendingQueriesOf(tenantId: string): number {
    const key = tenantId + utcDay(clock.nowMs());
    return (pending.get(key)?.queries ?? 0) + (writing.get(key)?.queries ?? 0);
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
    readBetweenWrites,
    flush() {
      flushing = flushing.then(write);
      return flushing;
    },
    settled: () => flushing,
  };
}
