import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableConversation } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextIndex } from '../text/text-index-sqlite.ts';
import { type ConversationPlaceFilter, findStanding, listAllConversations } from './conversation-export-store.ts';
import { insertConversations, nextNumber } from './conversations-store.ts';
import { type ConversationRow, conversationCodec } from './message-row.ts';
import { createMessageTransfer, type MessageTransfer } from './message-transfer.ts';

export type ConversationDraft = Omit<ConversationRow, 'scope' | 'number'>;

/** Conversations as they leave an account and come into one, and their messages. */
export interface ConversationTransfer extends MessageTransfer {
  /** A page in the order of their ids. */
  readConversations(reader: Reader, filter: ConversationPlaceFilter): Promise<PortableConversation[]>;
  /** Brings conversations in, in the caller's transaction, a fate each. Whose id is there is known. */
  restoreConversations(connection: Connection, drafts: readonly ConversationDraft[]): Promise<ImportOutcome[]>;
}

/** The face of the conversations room for whole accounts. */
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
      const standing = await findStanding(
        connection,
        tenantId,
        drafts.map(({ id }) => id),
      );
      const erased = new Map(standing.map(({ id, erasedAt }) => [id, erasedAt !== null]));
      const fates = drafts.map(({ id }): ImportOutcome => {
        if (erased.get(id)) return { reason: 'one with this id is being erased: try again in a moment', fault: true };
        if (erased.has(id)) return 'known';
        erased.set(id, false);
        return 'added';
      });
      const added = drafts.filter((_, index) => fates[index] === 'added');
      const scopeOf = await scopes.ensure(connection, added);
      const first = await nextNumber(connection);
      await insertConversations(
        connection,
        added.map((draft, index) => ({ ...draft, scope: scopeOf(draft), number: first + index })),
      );
      return fates;
    },
  };
}

function toPortable(row: ConversationRow): PortableConversation {
  const behind = row.cutThrough !== null && row.cutThrough < row.lastOrdinal;
  return {
    type: 'conversation',
    ...conversationCodec.toPortable(row),
    cut: row.cutThrough !== null,
    ...(behind && { cutThrough: row.cutThrough! }),
  };
}

/** A conversation as it is stored, without messages yet. Throws `invalid_request` where it cannot be kept as it is. */
export function conversationDraftOf(tenantId: string, conversation: PortableConversation): ConversationDraft {
  return {
    ...conversationCodec.fromPortable(conversation),
    tenantId,
    lastOrdinal: 0,
    cutThrough: conversation.cut ? (conversation.cutThrough ?? 0) : null,
    erasedAt: null,
  };
}
