import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableMessage } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Principal } from '../keys/keys.ts';
import type { PreparedTerms } from '../text/prepared-terms.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { findConversationsById, findMessages, findUsedRowIds } from './conversation-import-export-store.ts';
import { findConversation, updateConversation, updateCutThrough } from './conversations-store.ts';
import {
  type ConversationRow,
  fromPortableMessage,
  type MessageRow,
  messageRowId,
  textEntryOf,
  toPortableMessage,
} from './message-row.ts';
import { insertMessages, listMessages } from './messages-store.ts';

export type MessageDraft = Omit<MessageRow, 'scope' | 'number'>;

/** Export and import of messages. */
export interface MessageTransfer {
  /** Exports messages of a conversation after the ordinal `beyond`. */
  readMessages(
    reader: Reader,
    key: { tenantId: string; conversationId: string },
    beyond: number,
    limit: number,
  ): Promise<PortableMessage[]>;
  /**
   * Imports messages with their original ordinals, without changing the conversation's version. A conversation that was
   * cut to its end stays so, because its episodes are imported too, unless its id is in `uncut`.
   */
  restoreMessages(
    connection: Connection,
    drafts: readonly MessageDraft[],
    uncut: ReadonlySet<string>,
    terms: PreparedTerms,
  ): Promise<ImportOutcome[]>;
}

/** Exports and imports messages; their conversations must be imported first. */
export function createMessageTransfer({ text }: { text: TextIndex }): MessageTransfer {
  async function store(connection: Connection, rows: readonly MessageRow[], terms: PreparedTerms): Promise<void> {
    await insertMessages(connection, rows);
    await text.insert(connection, rows.map(textEntryOf), terms);
  }

  return {
    async readMessages(reader, { tenantId, conversationId }, beyond, limit) {
      const conversation = await findConversation(reader, tenantId, conversationId);
      if (!conversation) return [];
      const rows = await listMessages(reader, conversation, { order: 'oldest', beyond, limit });
      return rows.map(toPortableMessage);
    },
    async restoreMessages(connection, drafts, uncut, terms) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const ids = [...new Set(drafts.map(({ conversationId }) => conversationId))];
      const found = await findConversationsById(connection, tenantId, ids);
      const existing = found.filter(({ erasedAt }) => erasedAt === null);
      const conversations = new Map(existing.map((row) => [row.id, row]));
      const outcomes = await planOutcomes(connection, drafts, conversations);
      const rows = drafts
        .filter((_, index) => outcomes[index] === 'added')
        .map((draft) => {
          const { scope, number } = conversations.get(draft.conversationId)!;
          return { ...draft, scope, number: messageRowId(number, draft.ordinal) };
        });
      await store(connection, rows, terms);
      for (const conversation of existing) {
        const added = rows.filter(({ conversationId }) => conversationId === conversation.id);
        if (added.length > 0) await updateCounts(connection, conversation, added, uncut.has(conversation.id));
      }
      return outcomes;
    },
  };
}

/** Determines the outcome of each message before anything is written. */
async function planOutcomes(
  connection: Connection,
  drafts: readonly MessageDraft[],
  conversations: ReadonlyMap<string, ConversationRow>,
): Promise<ImportOutcome[]> {
  const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
  const found = await findMessages(
    connection,
    tenantId,
    drafts.map(({ id }) => id),
  );
  const known = new Set(found.map(({ id }) => id));
  const rowIdOf = ({ conversationId, ordinal }: MessageDraft) =>
    messageRowId(conversations.get(conversationId)?.number ?? 0, ordinal);
  const usedRowIds = new Set(await findUsedRowIds(connection, tenantId, drafts.map(rowIdOf)));
  return drafts.map((draft): ImportOutcome => {
    const { conversationId, id } = draft;
    if (!conversations.has(conversationId)) {
      return { reason: `its conversation ${conversationId} does not exist`, fault: true };
    }
    if (known.has(id)) return 'known';
    if (usedRowIds.has(rowIdOf(draft))) {
      return { reason: `another message in its conversation has the ordinal ${draft.ordinal}`, fault: true };
    }
    known.add(id);
    usedRowIds.add(rowIdOf(draft));
    return 'added';
  });
}

/** Updates the conversation for messages that were added. */
async function updateCounts(
  connection: Connection,
  conversation: ConversationRow,
  rows: readonly MessageRow[],
  uncut: boolean,
): Promise<void> {
  const newest = rows.reduce((last, row) => (row.ordinal > last.ordinal ? row : last));
  const isLonger = newest.ordinal > conversation.lastOrdinal;
  await updateConversation(connection, {
    ...conversation,
    messageCount: conversation.messageCount + rows.length,
    lastOrdinal: isLonger ? newest.ordinal : conversation.lastOrdinal,
    lastMessageAt: isLonger ? newest.createdAt : conversation.lastMessageAt,
  });
  const { tenantId, id, cutThrough, lastOrdinal } = conversation;
  const staysCut = isLonger && !uncut && cutThrough === lastOrdinal;
  if (staysCut) await updateCutThrough(connection, tenantId, id, newest.ordinal);
}

/** Converts an exported message to a draft. Throws `invalid_request` if it cannot be stored. */
export function messageDraftOf(
  { tenantId, author = null }: Pick<Principal, 'tenantId' | 'author'>,
  message: PortableMessage,
): MessageDraft {
  return { ...fromPortableMessage(message), tenantId, author };
}
