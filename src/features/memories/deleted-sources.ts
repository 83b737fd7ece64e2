import type { MessageObserver } from '../conversations/conversations.ts';
import { deleteLeft } from './memory-lookups-store.ts';

/** Deletes what deleted memories left of messages with these. */
export const deletedSourcesObserver: MessageObserver = {
  removed: (connection, { tenantId }, { ids }) => deleteLeft(connection, tenantId, ids),
  erased: (connection, tenantId, conversationId) => deleteLeft(connection, tenantId, [conversationId]),
};
