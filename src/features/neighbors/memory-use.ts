import type { MemoryUse, MemoryUses } from '../../contract/searches.ts';
import type { Database } from '../../db/open.ts';
import type { Principal } from '../keys/keys.ts';
import { findMemoryUses, type Learning } from '../learning/learning.ts';
import { type Memories, noMemory } from '../memories/memories.ts';

/** How often memories were shown and used. Reading a memory here does not count as a use of it. */
export interface MemoryUseReading {
  /** Throws `not_found`. */
  find(principal: Principal, id: string): Promise<MemoryUse>;
  /** Leaves out memories that no search has shown, or that do not exist. */
  findMany(principal: Principal, ids: readonly string[]): Promise<MemoryUses['data']>;
}

/** Counts are read after those of recent searches are stored. */
export function createMemoryUse({
  db,
  memories,
  learning,
}: {
  db: Database;
  memories: Pick<Memories, 'findWithin'>;
  learning: Pick<Learning, 'flush'>;
}): MemoryUseReading {
  return {
    async find({ tenantId }, id) {
      await learning.flush();
      if (!(await memories.findWithin(db.lookups, tenantId, id))) throw noMemory();
      const [use] = await findMemoryUses(db.lookups, tenantId, [id]);
      return { shown: use?.shown ?? 0, used: use?.used ?? 0 };
    },
    async findMany({ tenantId }, ids) {
      await learning.flush();
      return findMemoryUses(db.readers.of(tenantId), tenantId, ids);
    },
  };
}
