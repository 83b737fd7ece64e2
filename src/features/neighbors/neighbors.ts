import type { MemoryNeighbor } from '../../contract/neighbors.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { QueryEmbedder } from '../embeddings/query-embedder.ts';
import type { Principal } from '../keys/keys.ts';
import { createTenantLimiter } from '../limits/tenant-limiter.ts';
import { type Memories, noMemory, toMemory } from '../memories/memories.ts';
import type { SimilarMemories } from '../search/similar-memories.ts';

/**
 * Finds the memories of the same user that are related to one, at most `limit` by each relation. Throws `not_found`, and
 * `unavailable` if too many of the tenant wait.
 */
export type FindNeighbors = (principal: Principal, id: string, limit: number) => Promise<MemoryNeighbor[]>;

const MAX_WAITING = 16;
/** Words alike: memories that share only a frequent one, such as a name, are not. */
const MIN_SHARED = 0.6;

/** Similar memories are the nearest by vector where the memory has one, else those that share words with it that few others have. */
export function createNeighbors({
  db,
  clock,
  memories,
  queryEmbedder,
  similar,
}: {
  db: Database;
  clock: Clock;
  memories: Pick<Memories, 'links'>;
  queryEmbedder: Pick<QueryEmbedder, 'memoryVector'>;
  similar: SimilarMemories;
}): FindNeighbors {
  const limiter = createTenantLimiter({ maxActive: 1, maxWaiting: MAX_WAITING, of: 'requests for neighbors' });

  async function find(tenantId: string, id: string, limit: number): Promise<MemoryNeighbor[]> {
    const found = await memories.links(tenantId, id, limit);
    if (found === undefined) throw noMemory();
    const { row, links } = found;
    const vector = await queryEmbedder.memoryVector(db.lookups, row);
    const known = new Set([id, ...links.map((link) => link.row.id)]);
    const wanted = {
      text: row.content,
      limit: limit + known.size,
      vector,
      minShared: MIN_SHARED,
      nowMs: clock.nowMs(),
    };
    const alike = (await similar(row, wanted)).filter((one) => !known.has(one.row.id)).slice(0, limit);
    return [
      ...links.map((link) => ({ relation: link.relation, memory: toMemory(link.row) })),
      ...alike.map((one) => ({
        relation: 'similar' as const,
        ...(one.cosine !== undefined && { similarity: Math.min(1, Math.max(0, one.cosine)) }),
        memory: toMemory(one.row),
      })),
    ];
  }

  return ({ tenantId }, id, limit) => limiter.run(tenantId, () => find(tenantId, id, limit));
}
