import type { Principal } from '../keys/keys.ts';
import type { Memories } from '../memories/memories.ts';
import type { Learning } from './learning.ts';

/**
 * Wraps memories so that reading or changing one counts as a use of a search result. A person who looks through them in the
 * web app is left out: what ranking learns there is said with thumbs.
 */
export function observeUse(memories: Memories, learning: Pick<Learning, 'noteUse'>): Memories {
  const noteUse = (principal: Principal, memoryId: string) => {
    if (principal.credential.kind !== 'session') learning.noteUse(principal, memoryId);
  };
  return {
    ...memories,
    external: {
      ...memories.external,
      async get(principal, key) {
        const memory = await memories.external.get(principal, key);
        noteUse(principal, memory.id);
        return memory;
      },
      async put(principal, externalId, memory, ifMatch) {
        const stored = await memories.external.put(principal, externalId, memory, ifMatch);
        if (!stored.isNew) noteUse(principal, stored.memory.id);
        return stored;
      },
    },
    async get(principal, id) {
      const memory = await memories.get(principal, id);
      noteUse(principal, id);
      return memory;
    },
    async change(principal, id, change, ifMatch) {
      const memory = await memories.change(principal, id, change, ifMatch);
      noteUse(principal, id);
      return memory;
    },
  };
}
