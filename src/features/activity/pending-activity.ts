import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Log } from '../../lib/log.ts';
import { type ActivityRow, deleteActivityThrough, findLastSequences, insertActivity } from './activity-store.ts';

/** Requests that are not written yet. */
export interface PendingActivity {
  /** Drops and counts the request if too many are pending. */
  add(tenantId: string, row: ActivityRow): void;
  /** Writes all pending requests; failures are logged and counted as dropped. Never throws. */
  flush(): Promise<void>;
  forget(tenantId: string): void;
  /** How many were dropped since the process started. */
  dropped(): number;
}

/** Over all tenants. */
const MAX_PENDING = 20_000;
/** Requests per write, so that a transaction of several tenants stays short. */
const PORTION = 200;

interface Portion {
  tenantId: string;
  rows: ActivityRow[];
}

interface Parts {
  db: Database;
  log: Log;
  /** How many requests of a tenant are stored: the latest. */
  maxStored: number;
}

/** Collects requests in memory and writes them in batches, each in its tenant's turn. */
export function createPendingActivity({ db, log, maxStored }: Parts): PendingActivity {
  const pending = new Map<string, ActivityRow[]>();
  let count = 0;
  let droppedCount = 0;
  let running: Promise<void> = Promise.resolve();

  const store = db.writes.grouped<Portion, void>(
    async (connection, portions) => {
      await storePortions(connection, portions, maxStored);
      return portions.map(() => ({ ok: undefined }));
    },
    ({ tenantId, rows }) => ({ tenantId, rows: rows.length, characters: 0 }),
    { isBookkeeping: true },
  );

  async function writeAll(): Promise<void> {
    const portions = [...pending].flatMap(([tenantId, rows]) => portionsOf(tenantId, rows));
    pending.clear();
    count = 0;
    const outcomes = await Promise.allSettled(portions.map(store));
    const failed = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [{ error: outcome.reason, requests: portions[index]!.rows.length }] : [],
    );
    if (failed.length === 0) return;
    const requests = failed.reduce((sum, one) => sum + one.requests, 0);
    droppedCount += requests;
    log.warn({ error: failed[0]!.error, requests }, 'could not store the activity of some requests');
  }

  return {
    add(tenantId, row) {
      if (count >= MAX_PENDING) {
        droppedCount += 1;
        return;
      }
      count += 1;
      const rows = pending.get(tenantId);
      if (rows) rows.push(row);
      else pending.set(tenantId, [row]);
    },
    flush() {
      running = running.then(writeAll);
      return running;
    },
    forget(tenantId) {
      count -= pending.get(tenantId)?.length ?? 0;
      pending.delete(tenantId);
    },
    dropped: () => droppedCount,
  };
}

function portionsOf(tenantId: string, rows: ActivityRow[]): Portion[] {
  return Array.from({ length: Math.ceil(rows.length / PORTION) }, (_, index) => ({
    tenantId,
    rows: rows.slice(index * PORTION, (index + 1) * PORTION),
  }));
}

/** Numbers and inserts requests, and deletes as many of the oldest as exceed the limit. Skips erased tenants. */
async function storePortions(connection: Connection, portions: readonly Portion[], maxStored: number): Promise<void> {
  const last = await findLastSequences(connection, [...new Set(portions.map(({ tenantId }) => tenantId))]);
  const rows = portions.flatMap(({ tenantId, rows: given }) =>
    given.flatMap((row) => {
      const before = last.get(tenantId);
      if (before === undefined) return [];
      last.set(tenantId, before + 1);
      return [{ ...row, tenantId, sequence: before + 1 }];
    }),
  );
  await insertActivity(connection, rows);
  for (const [tenantId, sequence] of last) {
    if (sequence > maxStored) await deleteActivityThrough(connection, tenantId, sequence - maxStored);
  }
}
