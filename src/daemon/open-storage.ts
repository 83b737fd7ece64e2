import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../db/open.ts';
import { openWithVectors } from '../db/open-with-vectors.ts';
import type { PostgresOptions } from '../db/postgres/open.ts';
import { createEmbeddings, type Embeddings, type OperatorEmbedder } from '../features/embeddings/embeddings.ts';
import { createTenantModels, type TenantModels } from '../features/embeddings/tenant-models.ts';
import { hasVectors, withVectorSync } from '../features/embeddings/vector-sync.ts';
import { createLeases, type Leases, SOLE_DAEMON } from '../features/leases/leases.ts';
import { type TextIndices, textIndices } from '../features/text/text-indices.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { modelsFolder, nameOfChoice, readChoice } from '../outside/models/added-models.ts';
import { ModelFolderFault } from '../outside/models/model-folder.ts';
import { ConfigError } from './config.ts';
import type { Config } from './config-settings.ts';
import type { DatabaseLocation } from './database-location.ts';
import type { Metrics } from './metrics.ts';

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
    ? openWithVectors(location.file, { ...options, isVerified: location.isVerified }, vectors)
    : openPostgresDatabase(location.url, { ...options, log, machineNowMs: Date.now }));
  const isShared = db.readers.engine === 'postgres';
  const leases = isShared ? createLeases({ db, clock, random }) : SOLE_DAEMON;
  const opened = await openEmbeddings({ db, clock, random, log, leases, isShared }, operator, cannotSearch);
  return { db, isShared, leases, ...opened };
}

async function openPostgresDatabase(url: string, options: PostgresOptions) {
  // Loaded lazily: most daemons run on SQLite.
  const { openPostgres } = await import('../db/postgres/open.ts');
  return { db: await openPostgres(url, options), cannotSearch: undefined };
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  leases: Leases;
  /** Whether other daemons may use the database. */
  isShared: boolean;
}

/**
 * Opens the configured embedder, or the models that are added to the data folder, loading their code lazily. With a
 * configured folder that has no usable model, choosing and preparing it throw `ConfigError`.
 */
async function openOperatorEmbedder(
  { embeddings: configured, dataDir }: Pick<Config, 'embeddings' | 'dataDir'>,
  clock: Clock,
): Promise<OperatorEmbedder> {
  if (configured === undefined) return openAddedModels(modelsFolder(dataDir));
  if ('folder' in configured) return openFolder(configured.folder);
  const { createEmbedder } = await import('../outside/models/embedding-server.ts');
  const choice = async () => configured.model;
  return { embedder: createEmbedder(configured, clock), choice, modelOf: choice };
}

async function openAddedModels(models: string): Promise<OperatorEmbedder> {
  const { createLocalModels } = await import('../outside/models/local-models.ts');
  const embedder = createLocalModels((model) => join(models, model.split('@')[0]!));
  return {
    embedder,
    choice: () => readChoice(models),
    async modelOf(choice) {
      const name = nameOfChoice(choice);
      if (name !== undefined) return embedder.open(join(models, name));
      throw new ModelFolderFault(`in-use.json in ${models} does not name a model: ${choice.slice(0, 100).trim()}`);
    },
  };
}

async function openFolder(folder: string): Promise<OperatorEmbedder> {
  const { createLocalModels } = await import('../outside/models/local-models.ts');
  const embedder = createLocalModels(() => undefined);
  const refuse = ({ message }: Error) => {
    throw new ConfigError(`SVC_EMBEDDINGS: ${message}`);
  };
  return {
    embedder: { ...embedder, prepare: (model) => embedder.prepare(model).catch(refuse) },
    choice: async () => folder,
    modelOf: () => embedder.open(folder).catch(refuse),
  };
}

/**
 * Opens the operator's embedder, the models of tenants, and the indices that every write maintains. While no model is or
 * was in use, these are the text indices alone; vectors of an earlier model are deleted with their rows.
 */
async function openEmbeddings(
  dependencies: Dependencies,
  operator: OperatorEmbedder,
  cannotSearch: string | undefined,
): Promise<{ embeddings: Embeddings; tenantModels: TenantModels; texts: TextIndices }> {
  const { db, isShared } = dependencies;
  const usable = cannotSearch === undefined ? operator : { ...operator, choice: async () => undefined };
  const embeddings = createEmbeddings({ ...dependencies, operator: usable });
  const tenantModels = createTenantModels({ ...dependencies, operator: embeddings.isOn, cannotSearch });
  let hadVectors = await hasVectors(db.readers);
  const isNeeded = () => {
    hadVectors ||= embeddings.isOn();
    return hadVectors || tenantModels.mayAnyHaveModel();
  };
  // Another daemon may have an embedder, and needs the rows that this one writes.
  const texts = withVectorSync(textIndices, { operator: () => isShared || embeddings.isOn(), isNeeded });
  return { embeddings, tenantModels, texts };
}
