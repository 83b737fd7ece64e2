import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableConversation } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextIndex } from '../text/text-indices.ts';
import {
  type ConversationExportFilter,
  findConversationsById,
  listAllConversations,
} from './conversation-import-export-store.ts';
import { insertConversations, nextNumbers } from './conversations-store.ts';
import { createMessageTransfer, type MessageTransfer } from './message-import-export.ts';
import { type ConversationRow, conversationCodec } from './message-row.ts';

export type ConversationDraft = Omit<ConversationRow, 'scope' | 'number'>;

/** Export and import of conversations and their messages. */
export interface ConversationTransfer extends MessageTransfer {
  /** Exports a page of conversations, ordered by id. */
  readConversations(reader: Reader, filter: ConversationExportFilter): Promise<PortableConversation[]>;
  /**
   * Imports conversations in the caller's transaction and returns an outcome for each: `known` if the id exists.
   */
  restoreConversations(connection: Connection, drafts: readonly ConversationDraft[]): Promise<ImportOutcome[]>;
}

/** Exports and imports the conversations of an account. */
export function createConversationTransfer({
  text,
  scopes,
}: {
  text: TextIndex;
  scopes: Scopes;
}): ConversationTransfer {
  return {
    ...createMessageTransfer({ text }),
    async readConversations(reader, filter) {
      return (await listAllConversations(reader, filter)).map(toPortable);
    },
    async restoreConversations(connection, drafts) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const existing = await findConversationsById(
        connection,
        tenantId,
        drafts.map(({ id }) => id),
      );
      const isBeingErased = new Map(existing.map(({ id, erasedAt }) => [id, erasedAt !== null]));
      const outcomes = drafts.map(({ id }): ImportOutcome => {
        if (isBeingErased.get(id)) {
          return { reason: 'a conversation with this id is being erased: try again in a moment', fault: true };
        }
        if (isBeingErased.has(id)) return 'known';
        isBeingErased.set(id, false);
        return 'added';
      });
      const added = drafts.filter((_, index) => outcomes[index] === 'added');
      const scopeOf = await scopes.ensure(connection, added);
      const numbers = await nextNumbers(connection, added.length);
      await insertConversations(
        connection,
        added.map((draft, index) => ({ ...draft, scope: scopeOf(draft), number: numbers[index]! })),
      );
      return outcomes;
    },
  };
}

function toPortable(row: ConversationRow): PortableConversation {
  const isCutPartly = row.cutThrough !== null && row.cutThrough < row.lastOrdinal;
  return {
    type: 'conversation',
    ...conversationCodec.toPortable(row),
    cut: row.cutThrough !== null,
    ...(isCutPartly && { cutThrough: row.cutThrough! }),
  };
}

/** Converts an exported conversation to a draft without messages. Throws `invalid_request` if it cannot be stored. */
export function conversationDraftOf(tenantId: string, conversation: PortableConversation): ConversationDraft {
  return {
    ...conversationCodec.fromPortable(conversation),
    tenantId,
    lastOrdinal: 0,
    cutThrough: conversation.cut ? (conversation.cutThrough ?? 0) : null,
    erasedAt: null,
  };
}
