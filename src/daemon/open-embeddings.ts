import type { Database } from '../db/open.ts';
import { createEmbeddings, type Embeddings } from '../features/embeddings/embeddings.ts';
import { createTenantModels, type TenantModels } from '../features/embeddings/tenant-models.ts';
import { hasVectors, withVectorSync } from '../features/embeddings/vector-sync.ts';
import type { Leases } from '../features/leases/leases.ts';
import { type TextIndices, textIndices } from '../features/text/text-indices.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Embedder, EmbedderAddress, LocalModel } from '../outside/models/embedder.ts';
import { ConfigError } from './config.ts';

interface Dependencies {
  db: Database;
  clock: Clock;
  log: Log;
  leases: Leases;
  /** Whether other daemons may use the database. */
  isShared: boolean;
}

/** An embedder with the name of its model. */
export interface OpenEmbedder {
  embedder: Embedder;
  model: string;
}

/**
 * Opens the configured embedder, loading its code lazily. If the folder has no usable model, this or `prepare` throws
 * `ConfigError`.
 */
export async function openEmbedder(configured: EmbedderAddress | LocalModel, clock: Clock): Promise<OpenEmbedder> {
  if (!('folder' in configured)) {
    const { createEmbedder } = await import('../outside/models/embedder.ts');
    return { embedder: createEmbedder(configured, clock), model: configured.model };
  }
  const { readModelFolder } = await import('../outside/models/model-folder.ts');
  const { createLocalEmbedder } = await import('../outside/models/local-embedder.ts');
  const refuse = ({ message }: Error) => {
    throw new ConfigError(`SVC_EMBEDDINGS: ${message}`);
  };
  const model = await readModelFolder(configured.folder).catch(refuse);
  const embedder = createLocalEmbedder(model);
  return { embedder: { ...embedder, prepare: () => embedder.prepare().catch(refuse) }, model: model.name };
}

/**
 * Opens the operator's embedder, if there is one, the models of tenants, and the indices that every write maintains. If
 * no model is or was in use, these are the text indices alone; vectors of an earlier embedder are deleted with their
 * rows.
 */
export async function openEmbeddings(
  { db, clock, log, leases, isShared }: Dependencies,
  embedder: OpenEmbedder | undefined,
  cannotSearch: string | undefined,
): Promise<{ embeddings: Embeddings | undefined; tenantModels: TenantModels; texts: TextIndices }> {
  const embeddings = embedder && createEmbeddings({ db, clock, log, leases, ...embedder });
  const operator = embeddings !== undefined;
  const tenantModels = createTenantModels({ db, clock, log, operator, isShared, cannotSearch });
  const hadVectors = await hasVectors(db.readers);
  const isNeeded = () => operator || hadVectors || tenantModels.mayAnyHaveModel();
  // Another daemon may have an embedder, and needs the rows that this one writes.
  const texts = withVectorSync(textIndices, { operator: operator || isShared, isNeeded });
  return { embeddings, tenantModels, texts };
}
