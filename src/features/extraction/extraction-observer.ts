import type { Connection } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MessageObserver } from '../conversations/conversations.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { MemoryObserver } from '../memories/memories.ts';
import type { ProviderKeyObserver } from '../providers/provider-keys.ts';
import type { ProviderSettingsService } from '../providers/provider-settings.ts';
import { extractionJobOf, redactDecisions } from './apply-proposals.ts';
import { deleteExtraction, updateDue } from './extraction-store.ts';

/** So long after the first message that was not read yet, so that a talk is read in larger pieces. */
export const QUIET_MS = 120_000;

/**
 * Keeps true what is noted beside conversations and keys, in the transactions that change those: what is to be read once
 * messages come, and nothing more of a conversation or a key that goes.
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
  return {
    async appended(connection, conversations) {
      const tenantIds = [...new Set(conversations.map(({ tenantId }) => tenantId))];
      const wanted = new Set(await providerSettings.onAppend(connection, tenantIds));
      for (const conversation of conversations) {
        if (wanted.has(conversation.tenantId)) await updateDue(connection, conversation, clock.nowMs() + QUIET_MS);
      }
    },
    removed: (connection, { tenantId, id: conversationId }, message) =>
      jobs.rewrite(connection, tenantId, { conversationId }, (result) =>
        redactDecisions(result, ({ messageIds }) => messageIds.includes(message.id)),
      ),
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
