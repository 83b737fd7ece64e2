import type { Database } from '../db/open.ts';
import { createEmbeddings, type Embeddings } from '../features/embeddings/embeddings.ts';
import { createTenantModels, type TenantModels } from '../features/embeddings/tenant-models.ts';
import { hasVectors, withVectors } from '../features/embeddings/vector-upkeep-sqlite.ts';
import { type TextIndices, textIndices } from '../features/search/text-index-sqlite.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { EmbedderAddress } from '../outside/embedder.ts';

interface World {
  db: Database;
  clock: Clock;
  log: Log;
}

/**
 * The operator's embedder, where one is set, the models of tenants, and the indices that every write keeps true. Where
 * nobody has or had a model, they are those of words alone; what an earlier embedder left goes with its rows.
 */
export async function openEmbeddings(
  { db, clock, log }: World,
  address: EmbedderAddress | undefined,
  cannotSearch: string | undefined,
): Promise<{ embeddings: Embeddings | undefined; tenantModels: TenantModels; texts: TextIndices }> {
  const embeddings = address && (await operatorsEmbeddings({ db, clock, log }, address));
  const operator = embeddings !== undefined;
  const tenantModels = createTenantModels({ db, clock, log, operator, cannotSearch });
  const hadVectors = await hasVectors(db.readers);
  const isNeeded = () => operator || hadVectors || tenantModels.mayAnyOwn();
  return { embeddings, tenantModels, texts: withVectors(textIndices, { operator, isNeeded }) };
}

async function operatorsEmbeddings(world: World, address: EmbedderAddress): Promise<Embeddings> {
  // Loaded where it is asked for only.
  const { createEmbedder } = await import('../outside/embedder.ts');
  return createEmbeddings({ ...world, embedder: createEmbedder(address), model: address.model });
}
