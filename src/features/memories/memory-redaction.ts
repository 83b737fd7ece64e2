import { redactContents, withRedacted } from '../text/redacted-contents.ts';
import type { Memories } from './memories.ts';

/**
 * Masks credentials in what callers add and change, before it is compared or stored. Imports and extracted memories stay as
 * they are: an import is the user's own copy, and extraction reads masked messages.
 */
export function redactMemories(memories: Memories): Memories {
  const addOnce: Memories['addOnce'] = async (principal, memory, claim, onDuplicate) => {
    const { items, counts } = await redactContents(principal.tenantId, [memory]);
    const created = await memories.addOnce(principal, items[0]!, claim, onDuplicate);
    return { ...created, body: withRedacted(created.body, counts[0]) };
  };
  return {
    ...memories,
    addOnce,
    add: async (principal, memory, claim) => (await addOnce(principal, memory, claim)).body,
    async addBatchOnce(principal, added, claim) {
      const { items, counts } = await redactContents(principal.tenantId, added);
      const created = await memories.addBatchOnce(principal, items, claim);
      const data = created.body.data.map((memory, index) => withRedacted(memory, counts[index]));
      return { ...created, body: { data } };
    },
    async change(principal, id, change, ifMatch) {
      const { items, counts } = await redactContents(principal.tenantId, [change]);
      return withRedacted(await memories.change(principal, id, items[0]!, ifMatch), counts[0]);
    },
    external: {
      ...memories.external,
      async put(principal, externalId, given, ifMatch) {
        const { items, counts } = await redactContents(principal.tenantId, [given]);
        const { memory, isNew } = await memories.external.put(principal, externalId, items[0]!, ifMatch);
        return { memory: withRedacted(memory, counts[0]), isNew };
      },
    },
    bulk: {
      ...memories.bulk,
      async updateOnce(principal, update, claim) {
        const { items, counts } = await redactContents(principal.tenantId, [update.change]);
        const updated = await memories.bulk.updateOnce(principal, { ...update, change: items[0]! }, claim);
        return { ...updated, body: withRedacted(updated.body, counts[0]) };
      },
    },
  };
}
