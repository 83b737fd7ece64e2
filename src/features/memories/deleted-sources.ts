import type { MessageObserver } from '../conversations/conversations.ts';
import { deleteLeftIn, deleteLeftOf } from './memory-lookups-store.ts';

/** Deletes what deleted memories left of messages with these. */
export const deletedSourcesObserver: MessageObserver = {
  removed: (connection, { tenantId }, { ids }) => deleteLeftOf(connection, tenantId, ids),
  erased: deleteLeftIn,
};
