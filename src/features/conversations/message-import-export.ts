import { LAST_ORDINAL } from '../../contract/conversations.ts';
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

/** How messages are imported. */
export interface MessageOptions {
  /** Conversations whose messages are cut into episodes later. */
  unsegmentedIds: ReadonlySet<string>;
  /** Whether the file is of another system, whose conversations may show another branch than in an earlier import. */
  isForeign: boolean;
  /** Conversations that the same import created: they keep their version. */
  createdIds: ReadonlySet<string>;
  nowMs: number;
}

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
   * Imports messages with their original ordinals; foreign ones are appended, but a deleted one returns to its place. Raises
   * the version of a conversation that existed before the import. One that was cut to its end stays so if its episodes are
   * imported too.
   */
  restoreMessages(
    connection: Connection,
    drafts: readonly MessageDraft[],
    options: MessageOptions,
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
    async restoreMessages(connection, drafts, options, terms) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const ids = [...new Set(drafts.map(({ conversationId }) => conversationId))];
      const found = await findConversationsById(connection, tenantId, ids);
      const existing = found.filter(({ erasedAt }) => erasedAt === null);
      const conversations = new Map(existing.map((row) => [row.id, row]));
      const { outcomes, rows } = await planRows(connection, drafts, conversations, options);
      await store(connection, rows, terms);
      for (const conversation of existing) {
        const added = rows.filter(({ conversationId }) => conversationId === conversation.id);
        if (added.length > 0) await updateCounts(connection, conversation, added, options);
      }
      return outcomes;
    },
  };
}

/** Determines the outcome of each message, and the rows of those to add, before anything is written. */
async function planRows(
  connection: Connection,
  drafts: readonly MessageDraft[],
  conversations: ReadonlyMap<string, ConversationRow>,
  { isForeign }: MessageOptions,
): Promise<{ outcomes: ImportOutcome[]; rows: MessageRow[] }> {
  const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
  const ids = drafts.map(({ id }) => id);
  const known = new Map((await findMessages(connection, tenantId, ids)).map((row) => [row.id, row.ordinal]));
  const rowIdOf = ({ conversationId, ordinal }: Pick<MessageDraft, 'conversationId' | 'ordinal'>) =>
    messageRowId(conversations.get(conversationId)?.number ?? 0, ordinal);
  const usedRowIds = new Set(await findUsedRowIds(connection, tenantId, drafts.map(rowIdOf)));
  // The file shows the stored branch through this ordinal: a message that is missing before was deleted.
  const matchedThrough = new Map<string, number>();
  for (const { id, conversationId, ordinal } of drafts) {
    if (known.get(id) === ordinal) matchedThrough.set(conversationId, ordinal);
  }
  const lastOrdinals = new Map([...conversations.values()].map(({ id, lastOrdinal }) => [id, lastOrdinal]));
  const rows: MessageRow[] = [];
  const outcomes = drafts.map((draft): ImportOutcome => {
    const { conversationId, id } = draft;
    const conversation = conversations.get(conversationId);
    if (!conversation) return { reason: `its conversation ${conversationId} does not exist`, fault: true };
    if (known.has(id)) return 'known';
    const isUsed = usedRowIds.has(rowIdOf(draft));
    const last = lastOrdinals.get(conversationId)!;
    const isAppended = isForeign && (isUsed || draft.ordinal > (matchedThrough.get(conversationId) ?? 0));
    const ordinal = isAppended ? last + 1 : draft.ordinal;
    if (ordinal > LAST_ORDINAL) return { reason: 'its conversation is full', fault: true };
    if (isUsed && !isAppended) {
      return { reason: `another message in its conversation has the ordinal ${ordinal}`, fault: true };
    }
    const number = rowIdOf({ conversationId, ordinal });
    rows.push({ ...draft, ordinal, number, scope: conversation.scope });
    known.set(id, ordinal);
    usedRowIds.add(number);
    lastOrdinals.set(conversationId, Math.max(last, ordinal));
    return 'added';
  });
  return { outcomes, rows };
}

/** Updates the conversation for messages that were added. */
async function updateCounts(
  connection: Connection,
  conversation: ConversationRow,
  rows: readonly MessageRow[],
  { unsegmentedIds, isForeign, createdIds, nowMs }: MessageOptions,
): Promise<void> {
  const newest = rows.reduce((last, row) => (row.ordinal > last.ordinal ? row : last));
  const isLonger = newest.ordinal > conversation.lastOrdinal;
  await updateConversation(connection, {
    ...conversation,
    ...(!createdIds.has(conversation.id) && { version: conversation.version + 1, updatedAt: nowMs }),
    messageCount: conversation.messageCount + rows.length,
    lastOrdinal: isLonger ? newest.ordinal : conversation.lastOrdinal,
    lastMessageAt: isLonger ? newest.createdAt : conversation.lastMessageAt,
  });
  const { tenantId, id, cutThrough, lastOrdinal } = conversation;
  const isUncut = isForeign || unsegmentedIds.has(id);
  const staysCut = isLonger && !isUncut && cutThrough === lastOrdinal;
  if (staysCut) await updateCutThrough(connection, tenantId, id, newest.ordinal);
}

/** Converts an exported message to a draft. Throws `invalid_request` if it cannot be stored. */
export function messageDraftOf(
  { tenantId, author = null }: Pick<Principal, 'tenantId' | 'author'>,
  message: PortableMessage,
): MessageDraft {
  return { ...fromPortableMessage(message), tenantId, author };
}
