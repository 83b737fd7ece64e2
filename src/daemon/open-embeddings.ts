import type { Database } from '../db/open.ts';
import { createEmbeddings, type Embeddings } from '../features/embeddings/embeddings.ts';
import { createTenantModels, type TenantModels } from '../features/embeddings/tenant-models.ts';
import { hasVectors, withVectorSync } from '../features/embeddings/vector-sync-sqlite.ts';
import { type TextIndices, textIndices } from '../features/text/text-index-sqlite.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Embedder, EmbedderAddress, LocalModel } from '../outside/models/embedder.ts';
import { ConfigError } from './config.ts';

interface World {
  db: Database;
  clock: Clock;
  log: Log;
}

/** An embedder and the name of its model. */
export interface OpenEmbedder {
  embedder: Embedder;
  model: string;
}

/**
 * What the operator names, loaded where it is asked for only. Where a folder holds no model that can be used, this or
 * `prepare` throws `ConfigError`.
 */
export async function openEmbedder(named: EmbedderAddress | LocalModel, clock: Clock): Promise<OpenEmbedder> {
  if (!('folder' in named)) {
    const { createEmbedder } = await import('../outside/models/embedder.ts');
    return { embedder: createEmbedder(named, clock), model: named.model };
  }
  const { readModelFolder } = await import('../outside/models/model-folder.ts');
  const { createLocalEmbedder } = await import('../outside/models/local-embedder.ts');
  const refuse = ({ message }: Error) => {
    throw new ConfigError(`SVC_EMBEDDINGS: ${message}`);
  };
  const model = await readModelFolder(named.folder).catch(refuse);
  const embedder = createLocalEmbedder(model);
  return { embedder: { ...embedder, prepare: () => embedder.prepare().catch(refuse) }, model: model.name };
}

/**
 * The operator's embedder, where one is set, the models of tenants, and the indices that every write keeps true. Where
 * nobody has or had a model, they are those of words alone; what an earlier embedder left goes with its rows.
 */
export async function openEmbeddings(
  { db, clock, log }: World,
  embedder: OpenEmbedder | undefined,
  cannotSearch: string | undefined,
): Promise<{ embeddings: Embeddings | undefined; tenantModels: TenantModels; texts: TextIndices }> {
  const embeddings = embedder && createEmbeddings({ db, clock, log, ...embedder });
  const operator = embeddings !== undefined;
  const tenantModels = createTenantModels({ db, clock, log, operator, cannotSearch });
  const hadVectors = await hasVectors(db.readers);
  const isNeeded = () => operator || hadVectors || tenantModels.mayAnyHaveModel();
  return { embeddings, tenantModels, texts: withVectorSync(textIndices, { operator, isNeeded }) };
}
