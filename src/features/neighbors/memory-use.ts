import type { MemoryUse } from '../../contract/searches.ts';
import type { Database } from '../../db/open.ts';
import type { Principal } from '../keys/keys.ts';
import { findMemoryUses, type Learning } from '../learning/learning.ts';
import { type Memories, noMemory } from '../memories/memories.ts';

/** Returns how often a memory was shown and used. Throws `not_found`. */
export type FindMemoryUse = (principal: Principal, id: string) => Promise<MemoryUse>;

/** Reading a memory here does not count as a use of it. */
export function createMemoryUse({
  db,
  memories,
  learning,
}: {
  db: Database;
  memories: Pick<Memories, 'findWithin'>;
  learning: Pick<Learning, 'flush'>;
}): FindMemoryUse {
  return async ({ tenantId }, id) => {
    await learning.flush();
    if (!(await memories.findWithin(db.lookups, tenantId, id))) throw noMemory();
    return findMemoryUses(db.lookups, tenantId, id);
  };
}
