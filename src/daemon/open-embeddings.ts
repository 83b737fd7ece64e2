import type { Database } from '../db/open.ts';
import { createEmbeddings, type Embeddings } from '../features/embeddings/embeddings.ts';
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
 * The operator's embedder, where one is set, and the indices that every write keeps true. Where there is none and never
 * was one, they are those of words alone; what an earlier one left goes with its rows.
 */
export async function openEmbeddings(
  { db, clock, log }: World,
  address: EmbedderAddress | undefined,
): Promise<{ embeddings: Embeddings | undefined; texts: TextIndices }> {
  if (address === undefined) {
    const texts = (await hasVectors(db.readers)) ? withVectors(textIndices, { noting: false }) : textIndices;
    return { embeddings: undefined, texts };
  }
  // Loaded where it is asked for only.
  const { createEmbedder } = await import('../outside/embedder.ts');
  const embeddings = createEmbeddings({ db, clock, log, embedder: createEmbedder(address), model: address.model });
  return { embeddings, texts: withVectors(textIndices, { noting: true }) };
}
