import type { Memories } from '../memories/memories.ts';
import type { Learning } from './learning.ts';

/** Wraps memories so that reading or changing one counts as a use of a search result. */
export function observeUse(memories: Memories, learning: Pick<Learning, 'noteUse'>): Memories {
  return {
    ...memories,
    external: {
      ...memories.external,
      async get(principal, key) {
        const memory = await memories.external.get(principal, key);
        learning.noteUse(principal, memory.id);
        return memory;
      },
      async put(principal, externalId, memory, ifMatch) {
        const stored = await memories.external.put(principal, externalId, memory, ifMatch);
        if (!stored.isNew) learning.noteUse(principal, stored.memory.id);
        return stored;
      },
    },
    async get(principal, id) {
      const memory = await memories.get(principal, id);
      learning.noteUse(principal, id);
      return memory;
    },
    async change(principal, id, change, ifMatch) {
      const memory = await memories.change(principal, id, change, ifMatch);
      learning.noteUse(principal, id);
      return memory;
    },
  };
}
