import type { Database } from '../db/open.ts';
import type { BucketKind, BucketsOf } from '../features/limits/buckets.ts';
import { createSharedBuckets } from '../features/limits/buckets-shared.ts';
import { createLiveDaemons, HEARTBEAT_MS } from '../features/limits/live-daemons-postgres.ts';
import { createProcessBuckets, createRateLimits, type RateLimits } from '../features/limits/rate-limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { Config } from './config-settings.ts';
import type { Metrics } from './metrics.ts';
import type { BackgroundTask } from './scheduler.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  metrics: Metrics;
  /** Overrides the clock of PostgreSQL and Redis. */
  sharedNowMs?: (() => number) | undefined;
}

/** The rate limits, and how many daemons share them. */
export interface OpenRateLimits {
  rateLimits: RateLimits;
  liveDaemons(): number;
  /** Connects to the server that counts for all daemons, if there is one. */
  begin(): Promise<void>;
  tasks: readonly BackgroundTask[];
  stop(): Promise<void>;
}

/** Time for PostgreSQL, which may wait for a row that another daemon writes, and for Redis, which may not. */
const POSTGRES_TIMEOUT_MS = 2000;
const REDIS_TIMEOUT_MS = 200;

/** On SQLite, limits hold in this process; on PostgreSQL over all daemons, counted in Redis if one is configured. */
export function openRateLimits(config: Config, dependencies: Dependencies): OpenRateLimits {
  const { clock } = dependencies;
  const { databaseUrl } = config;
  if (databaseUrl !== undefined) return openShared(databaseUrl, config.redisUrl, dependencies);
  const bucketsOf: BucketsOf = (_kind: BucketKind, maxSize) => createProcessBuckets(clock, maxSize);
  const rateLimits = createRateLimits({ clock, bucketsOf });
  return { rateLimits, liveDaemons: () => 1, begin: async () => {}, tasks: [], stop: async () => {} };
}

function openShared(databaseUrl: string, redisUrl: string | undefined, dependencies: Dependencies): OpenRateLimits {
  const { db, clock, random, log, metrics, sharedNowMs } = dependencies;
  const daemons = createLiveDaemons(db, random.bytes(16).toString('hex'));
  const shared = createSharedBuckets({
    server: redisUrl === undefined ? 'PostgreSQL' : 'Redis',
    // Loaded lazily: the code of either is needed only here.
    open: async (signal) => {
      if (redisUrl !== undefined) {
        const { openRedisBuckets } = await import('../features/limits/buckets-redis.ts');
        return openRedisBuckets(redisUrl, signal, sharedNowMs);
      }
      const { openPostgresBuckets } = await import('../features/limits/buckets-postgres.ts');
      return openPostgresBuckets(databaseUrl, signal, sharedNowMs);
    },
    timeoutMs: redisUrl === undefined ? POSTGRES_TIMEOUT_MS : REDIS_TIMEOUT_MS,
    liveDaemons: daemons.count,
    clock,
    log,
  });
  metrics.gauge('svc_daemons', 'Daemons that serve the same database', daemons.count);
  metrics.gauge('svc_rate_limits_shared', 'Whether all daemons count requests together', () =>
    shared.isShared() ? 1 : 0,
  );
  metrics.gauge('svc_rate_limits_local_total', 'Requests counted by this daemon alone', shared.fallbacks);
  return {
    rateLimits: createRateLimits({ clock, bucketsOf: shared.bucketsOf }),
    liveDaemons: daemons.count,
    async begin() {
      await daemons.beat();
      await shared.begin();
    },
    tasks: [{ name: 'count the daemons', everyMs: HEARTBEAT_MS, by: 'each', run: daemons.beat }],
    async stop() {
      shared.stop();
      await daemons.leave().catch((error: unknown) => log.warn({ error }, 'could not remove the heartbeat'));
    },
  };
}
