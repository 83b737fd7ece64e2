import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { openWithVectors } from '../db/open-with-vectors.ts';
import type { PostgresOptions } from '../db/postgres/open.ts';
import { createLeases, SOLE_DAEMON } from '../features/leases/leases.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Config } from './config-settings.ts';
import type { DatabaseLocation } from './database-location.ts';
import type { Metrics } from './metrics.ts';
import { openEmbeddings, openOperatorEmbedder } from './open-embeddings.ts';

export interface StorageDependencies {
  clock: Clock;
  random: Random;
  log: FastifyBaseLogger;
  /** Overrides the path of sqlite-vec. */
  vectorExtension?: () => Promise<string>;
}

/**
 * Opens the database with the indices that every write maintains, and the embedders. `isShared`: other daemons may use
 * the database too. Throws like `openRooms`.
 */
export async function openStorage(
  config: Config,
  location: DatabaseLocation,
  { clock, random, log, vectorExtension }: StorageDependencies,
  onBatch: Metrics['batch'],
) {
  const { monotonicMs } = clock;
  const readerCount = Math.min(4, Math.max(3, availableParallelism()));
  const operator = await openOperatorEmbedder(config, clock);
  const options = { readerCount, monotonicMs, onBatch };
  const vectors = { isNeeded: config.embeddings !== undefined, locate: vectorExtension };
  const { db, cannotSearch } = await ('file' in location
    ? openWithVectors(location.file, options, vectors)
    : openPostgresDatabase(location.url, { ...options, log, machineNowMs: Date.now }));
  const isShared = db.readers.engine === 'postgres';
  const leases = isShared ? createLeases({ db, clock, random }) : SOLE_DAEMON;
  const opened = await openEmbeddings({ db, clock, log, leases, isShared }, operator, cannotSearch);
  return { db, isShared, leases, ...opened };
}

async function openPostgresDatabase(url: string, options: PostgresOptions) {
  // Loaded lazily: most daemons run on SQLite.
  const { openPostgres } = await import('../db/postgres/open.ts');
  return { db: await openPostgres(url, options), cannotSearch: undefined };
}
