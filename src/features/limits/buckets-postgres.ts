import { createSession } from '../../db/postgres/connection.ts';
import type { BucketRule } from '../../lib/token-bucket.ts';
import type { BucketStore } from './buckets-shared.ts';

interface Waiting {
  rule: BucketRule;
  resolve(taken: { allowed: boolean; used: number }): void;
  reject(error: unknown): void;
}

const SWEEP_INTERVAL_MS = 5000;

/**
 * Opens buckets in a table of the database at `url`, on a session of their own and on the database's clock, unless
 * `nowMs` is given. Requests that arrive during a statement share the next one. Throws `unavailable` if the server cannot
 * be reached; ends the session if `signal` aborts.
 */
export async function openPostgresBuckets(
  url: string,
  signal: AbortSignal,
  nowMs?: () => number,
): Promise<BucketStore> {
  const session = createSession(url);
  const waiting = new Map<string, Waiting[]>();
  let isRunning = false;
  const givenMs = () => nowMs?.() ?? null;

  /** Keys are locked in the same order by all daemons. */
  async function takeAll(): Promise<void> {
    isRunning = true;
    while (waiting.size > 0) {
      const batch = new Map([...waiting].sort(([one], [other]) => (one < other ? -1 : 1)));
      waiting.clear();
      const wanted = [...batch].map(([key, requests]) => ({ key, ...requests.at(-1)!.rule, wanted: requests.length }));
      try {
        const atMs = givenMs();
        const rows = await session.all<Taken>(TAKE, [atMs, JSON.stringify(wanted), atMs]);
        for (const row of rows) settle(batch.get(row.key) ?? [], row);
      } catch (error) {
        for (const request of [...batch.values()].flat()) request.reject(error);
      }
    }
    isRunning = false;
  }

  let sweeping: NodeJS.Timeout | undefined;
  function close(): void {
    clearInterval(sweeping);
    void session.close();
  }

  signal.addEventListener('abort', close);
  await session.all(SWEEP, [givenMs()]);
  sweeping = setInterval(() => {
    session.all(SWEEP, [givenMs()]).catch(() => {
      // Whoever takes a token next gets the error.
    });
  }, SWEEP_INTERVAL_MS).unref();

  return {
    take(key, rule) {
      return new Promise((resolve, reject) => {
        const requests = waiting.get(key);
        if (requests) requests.push({ rule, resolve, reject });
        else waiting.set(key, [{ rule, resolve, reject }]);
        if (!isRunning) void takeAll();
      });
    },
    close,
  };
}

interface Taken {
  key: string;
  used: number;
  granted: number;
}

/** The first requests get the tokens that there were. */
function settle(requests: readonly Waiting[], { used, granted }: Taken): void {
  requests.forEach(({ resolve }, index) => {
    const allowed = index < granted;
    resolve({ allowed, used: allowed ? used - granted + index + 1 : used });
  });
}

/** Milliseconds on the database's clock, or those given by a parameter. */
const NOW = 'COALESCE(CAST(? AS float8), CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS float8))';

/**
 * The rule of `takeToken` for each key of a JSON list. The clock is read after the row is locked: an earlier time would
 * refill twice what another daemon has just refilled.
 */
const TAKE = `
  INSERT INTO buckets AS stored (key, used, at, capacity, refillPerSecond, granted)
  SELECT key, granted, at, capacity, refillPerSecond, granted FROM (
    SELECT key, capacity, refillPerSecond, LEAST(wanted, FLOOR(capacity + 1e-9)) AS granted, ${NOW} AS at
    FROM json_to_recordset(CAST(? AS json)) AS rules (key text, capacity float8, refillPerSecond float8, wanted float8)
  ) fresh
  ON CONFLICT (key) DO UPDATE SET (used, at, capacity, refillPerSecond, granted) = (
    SELECT used + granted, at, excluded.capacity, excluded.refillPerSecond, granted FROM (
      SELECT used, at, LEAST(excluded.granted, FLOOR(excluded.capacity - used + 1e-9)) AS granted FROM (
        SELECT at, LEAST(excluded.capacity, GREATEST(0,
          stored.used - GREATEST(0, at - stored.at) / 1000 * excluded.refillPerSecond)) AS used
        FROM (SELECT ${NOW} AS at) clock
      ) refilled
    ) taken
  )
  RETURNING key, used, granted`;

/** Deletes full buckets, which are equivalent to none. Buckets in use are skipped: nobody waits for the sweep. */
const SWEEP = `
  DELETE FROM buckets WHERE key IN (
    SELECT key FROM buckets WHERE at + used / refillPerSecond * 1000 < ${NOW} FOR UPDATE SKIP LOCKED)`;
