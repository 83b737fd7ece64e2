import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

/** The credential of a request. */
interface Used {
  tenantId: string;
  hash: string;
  lastUsedAt: number | null;
  /** Where the request came from. */
  address?: string;
}

const TOUCH_INTERVAL_MS = 60_000;

/** Returns a function that runs `update` at most once a minute per credential, without delaying the request. */
export function createTouch(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  update: (connection: Connection, used: Used, nowMs: number) => Promise<void>,
): (used: Used) => void {
  const touching = new Set<string>();
  return (used) => {
    const { tenantId, hash, lastUsedAt } = used;
    const nowMs = clock.nowMs();
    if (touching.has(hash) || (lastUsedAt !== null && nowMs - lastUsedAt < TOUCH_INTERVAL_MS)) return;
    touching.add(hash);
    db.writes
      .write(tenantId, (connection) => update(connection, used, nowMs))
      .catch((error) => log.warn({ error }, 'failed to update lastUsedAt of a credential'))
      .finally(() => touching.delete(hash));
  };
}
