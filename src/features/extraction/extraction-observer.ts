import type { Connection } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ConversationRow, MessageObserver } from '../conversations/conversations.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { MemoryObserver } from '../memories/memories.ts';
import type { ProviderKeyObserver } from '../providers/provider-keys.ts';
import type { ProviderSettingsService } from '../providers/provider-settings.ts';
import { citesAny, extractionJobOf, redactDecisions } from './apply-proposals.ts';
import { deleteExtraction, updateDue } from './extraction-store.ts';

/** Delay after the first unread message, so that an ongoing conversation is read in larger chunks. */
export const QUIET_MS = 120_000;

/**
 * Keeps extraction in sync with conversations, memories and keys, in the transactions that change them: schedules
 * conversations with new messages, and removes what depended on erased content or removed keys.
 */
export function createExtractionObserver({
  clock,
  jobs,
  providerSettings,
}: {
  clock: Clock;
  jobs: Jobs;
  providerSettings: ProviderSettingsService;
}): MessageObserver & MemoryObserver & ProviderKeyObserver {
  /** Removes what was extracted from messages from the results of jobs. */
  async function redactCiting(
    connection: Connection,
    { tenantId, id: conversationId }: ConversationRow,
    ids: readonly string[],
  ): Promise<void> {
    const gone = new Set(ids);
    await jobs.rewrite(connection, tenantId, { conversationId }, (result) =>
      redactDecisions(result, (decision) => citesAny(decision, gone)),
    );
  }

  return {
    async appended(connection, conversations) {
      const tenantIds = [...new Set(conversations.map(({ tenantId }) => tenantId))];
      const wanted = new Set(await providerSettings.onAppend(connection, tenantIds));
      for (const conversation of conversations) {
        if (wanted.has(conversation.tenantId)) await updateDue(connection, conversation, clock.nowMs() + QUIET_MS);
      }
    },
    changed: (connection, conversation, { id }) => redactCiting(connection, conversation, [id]),
    removed: (connection, conversation, { ids }) => redactCiting(connection, conversation, ids),
    async memoryErased(connection, tenantId, id, metadata) {
      const ids = [...new Set(metadata.flatMap(extractionJobOf))];
      if (ids.length === 0) return;
      await jobs.rewrite(connection, tenantId, { ids }, (result) =>
        redactDecisions(result, ({ memoryId, targetId }) => memoryId === id || targetId === id),
      );
    },
    async erased(connection: Connection, tenantId: string, conversationId: string) {
      await jobs.forget(connection, tenantId, conversationId);
      await deleteExtraction(connection, tenantId, conversationId);
    },
    keyRemoved: (connection, tenantId, provider) =>
      jobs.cancel(connection, tenantId, { provider }, `The key for ${provider} was removed.`),
  };
}
