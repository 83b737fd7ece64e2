import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableMessage } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { TextIndex } from '../text/text-index-sqlite.ts';
import { deriveFrom } from '../text/traits.ts';
import { findMessages, findStanding, findTaken } from './conversation-export-store.ts';
import { findConversation, updateConversation, updateCutThrough } from './conversations-store.ts';
import { type ConversationRow, type MessageRow, messageCodec, messageRowId, textEntryOf } from './message-row.ts';
import { insertMessages, listMessages } from './messages-store.ts';

export type MessageDraft = Omit<MessageRow, 'scope' | 'number'>;

/** Messages as they leave an account and come into one. */
export interface MessageTransfer {
  /** Messages of a conversation behind a place. */
  readMessages(
    reader: Reader,
    place: { tenantId: string; conversationId: string },
    beyond: number,
    limit: number,
  ): Promise<PortableMessage[]>;
  /**
   * Brings messages in at their places; none is moved to another. The conversation's version stays as it is. What was
   * cut to its end stays so, because its episodes are brought in too, unless it is named in `uncut`.
   */
  restoreMessages(
    connection: Connection,
    drafts: readonly MessageDraft[],
    uncut: ReadonlySet<string>,
  ): Promise<ImportOutcome[]>;
}

/** For the messages of conversations that are brought in before them. */
export function createMessageTransfer({ text }: { text: TextIndex }): MessageTransfer {
  async function store(connection: Connection, rows: readonly MessageRow[]): Promise<void> {
    await insertMessages(connection, rows);
    await text.insert(connection, rows.map(textEntryOf));
  }

  return {
    async readMessages(reader, place, beyond, limit) {
      const conversation = await findConversation(reader, place.tenantId, place.conversationId);
      if (!conversation) return [];
      const rows = await listMessages(reader, conversation, { order: 'oldest', beyond, limit });
      return rows.map((row) => ({ type: 'message', ...messageCodec.toPortable(row) }));
    },
    async restoreMessages(connection, drafts, uncut) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const ids = [...new Set(drafts.map(({ conversationId }) => conversationId))];
      const standing = (await findStanding(connection, tenantId, ids)).filter(({ erasedAt }) => erasedAt === null);
      const conversations = new Map(standing.map((row) => [row.id, row]));
      const fates = await judge(connection, drafts, conversations);
      const rows = drafts
        .filter((_, index) => fates[index] === 'added')
        .map((draft) => {
          const { scope, number } = conversations.get(draft.conversationId)!;
          return { ...draft, scope, number: messageRowId(number, draft.ordinal) };
        });
      await store(connection, rows);
      for (const conversation of standing) {
        const own = rows.filter(({ conversationId }) => conversationId === conversation.id);
        if (own.length > 0) await grow(connection, conversation, own, uncut.has(conversation.id));
      }
      return fates;
    },
  };
}

/** Finds out what becomes of each; the fates of those that are added say so. */
async function judge(
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
  const numberOf = ({ conversationId, ordinal }: MessageDraft) =>
    messageRowId(conversations.get(conversationId)?.number ?? 0, ordinal);
  const taken = new Set(await findTaken(connection, tenantId, drafts.map(numberOf)));
  return drafts.map((draft): ImportOutcome => {
    const { conversationId, id } = draft;
    if (!conversations.has(conversationId)) {
      return { reason: `its conversation ${conversationId} is not there`, fault: true };
    }
    if (known.has(id)) return 'known';
    if (taken.has(numberOf(draft))) {
      return { reason: `another message has the place ${draft.ordinal} in its conversation`, fault: true };
    }
    known.add(id);
    taken.add(numberOf(draft));
    return 'added';
  });
}

/** Counts messages that were added. */
async function grow(
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

/** A message as it is stored. Throws `invalid_request` where it cannot be kept as it is. */
export function messageDraftOf(tenantId: string, message: PortableMessage): MessageDraft {
  const row = messageCodec.fromPortable(message);
  return { ...row, tenantId, ...deriveFrom(row.content, row.createdAt) };
}
