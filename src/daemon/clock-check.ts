import type { Database } from '../db/open.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** Daemons that share a database compare times that they wrote. */
export const MAX_CLOCK_OFFSET_MS = 2000;

/** Results are cached this long. */
const CACHE_MS = 10_000;

/**
 * Returns a function that reports whether this machine's clock is like that of the database's server. `true` while that
 * is unknown, and without a server.
 */
export function createClockCheck({
  db,
  clock,
  log,
}: {
  db: Pick<Database, 'clockOffsetMs'>;
  clock: Clock;
  log: Log;
}): () => Promise<boolean> {
  let last: { atMs: number; isRight: Promise<boolean> } | undefined;
  let wasRight = true;

  async function isRight(): Promise<boolean> {
    const offsetMs = await db.clockOffsetMs?.().catch(() => undefined);
    const right = Math.abs(offsetMs ?? 0) <= MAX_CLOCK_OFFSET_MS;
    if (wasRight && !right) log.error({ offsetMs }, 'no background work: the clock differs from that of the database');
    if (!wasRight && right) log.info({ offsetMs }, 'background work continues: the clock is right again');
    wasRight = right;
    return right;
  }

  return () => {
    const atMs = clock.monotonicMs();
    if (!last || atMs - last.atMs > CACHE_MS) last = { atMs, isRight: isRight() };
    return last.isRight;
  };
}
