import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { TextIndex, TextIndices } from '../text/text-indices.ts';
import { deleteEmbedded, insertJobs } from './vector-sync-store.ts';

export { hasVectors, vectorProblems } from './vector-sync-store.ts';

/** The models that new rows are queued for. */
export interface VectorSyncOptions {
  /** Includes the operator's models, not only the tenants' own. */
  operator(): boolean;
  /** Whether any model needs it: if not, writes cost nothing extra. */
  isNeeded(): boolean;
}

/**
 * Wraps the text indexes to keep vectors in sync, in the same transaction: removing a row deletes its vectors, and
 * inserting a searchable row queues it for every model of its owner.
 */
export function withVectorSync(indices: TextIndices, noting: VectorSyncOptions): TextIndices {
  const entries = ITEM_TYPES.map((type) => [type, withVectorsOf(type, indices[type], noting)] as const);
  return Object.fromEntries(entries) as Record<ItemType, TextIndex>;
}

function withVectorsOf(type: ItemType, index: TextIndex, { operator, isNeeded }: VectorSyncOptions): TextIndex {
  return {
    ...index,
    async insert(connection, entries, prepared) {
      await index.insert(connection, entries, prepared);
      const live = entries.filter(({ part }) => part === 'live');
      if (live.length > 0 && isNeeded()) await insertJobs(connection, type, live, operator());
    },
    async remove(connection, rows) {
      await index.remove(connection, rows);
      if (rows.length > 0 && isNeeded()) await deleteEmbedded(connection, type, rows);
    },
  };
}
