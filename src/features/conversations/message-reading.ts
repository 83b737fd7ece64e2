import { AppError } from '../../contract/errors.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { findConversation, listUncut, updateCutThrough } from './conversations-store.ts';
import { noConversation } from './message-append.ts';
import type { ConversationRow, MessageRow } from './message-row.ts';
import { countMessages, findMessage, findMessagesById, listMessages } from './messages-store.ts';

/** The part of a conversation that an episode refers to. */
interface SpanRequest {
  conversationId?: string | undefined;
  fromMessageId?: string | undefined;
  toMessageId?: string | undefined;
}

/** The user and project of a conversation and the ordinals of a span in it, both included; `null` for an open end. */
interface Span {
  endUser: string;
  project: string | null;
  fromOrdinal: number | null;
  toOrdinal: number | null;
}

/** Read access to conversations for other features, in their own transactions. */
export interface MessageReading {
  /** Throws `not_found`. */
  requireConversation(reader: Reader, tenantId: string, id: string): Promise<ConversationRow>;
  /** Finds a conversation that is not being erased. */
  findConversation(reader: Reader, tenantId: string, id: string): Promise<ConversationRow | undefined>;
  /** Reads up to `limit` messages after (oldest first) or before (newest first) the ordinal `beyond`. */
  readMessages(
    reader: Reader,
    conversation: ConversationRow,
    page: { order: 'newest' | 'oldest'; beyond: number; limit: number },
  ): Promise<MessageRow[]>;
  /** Finds those of the messages that exist, by id, in any conversation, with the user of it. */
  findMessages(
    reader: Reader,
    tenantId: string,
    ids: readonly string[],
  ): Promise<{ id: string; conversationId: string; content: string; author: string | null; endUser: string }[]>;
  /** Counts messages after `fromOrdinal`, up to and including `toOrdinal`. */
  countMessages(
    reader: Reader,
    conversation: ConversationRow,
    span: { fromOrdinal: number; toOrdinal: number },
  ): Promise<number>;
  /** Resolves a span; `undefined` if none is requested. Throws `not_found` or `invalid_request`. */
  spanOf(reader: Reader, tenantId: string, span: SpanRequest): Promise<Span | undefined>;
  /** Records the ordinal up to which the conversation is cut into episodes. */
  markCut(connection: Connection, conversation: ConversationRow, through: number): Promise<void>;
  /** Lists conversations with messages that are not cut yet: the same share of each tenant, beginning after one. */
  listUncut(limit: number, afterTenant: string): Promise<{ tenantId: string; id: string }[]>;
}

export function createMessageReading({ db }: { db: Database }): MessageReading {
  async function requireConversation(reader: Reader, tenantId: string, id: string): Promise<ConversationRow> {
    const row = await findConversation(reader, tenantId, id);
    if (!row) throw noConversation();
    return row;
  }

  async function ordinalOf(reader: Reader, { tenantId, id }: ConversationRow, messageId: string | undefined) {
    if (messageId === undefined) return null;
    const row = await findMessage(reader, { tenantId, conversationId: id }, messageId);
    if (!row) throw new AppError('not_found', 'This conversation has no message with this id.');
    return row.ordinal;
  }

  return {
    requireConversation,
    findConversation,
    readMessages: listMessages,
    findMessages: async (reader, tenantId, ids) => (ids.length === 0 ? [] : findMessagesById(reader, tenantId, ids)),
    countMessages,
    async spanOf(reader, tenantId, { conversationId, fromMessageId, toMessageId }) {
      if ((fromMessageId === undefined) !== (toMessageId === undefined)) {
        throw wrongSpan(
          fromMessageId === undefined ? '/fromMessageId' : '/toMessageId',
          'is required together with the other end of the span',
        );
      }
      if (conversationId === undefined) {
        if (fromMessageId === undefined) return undefined;
        throw wrongSpan('/conversationId', 'is required with fromMessageId and toMessageId');
      }
      const conversation = await requireConversation(reader, tenantId, conversationId);
      const fromOrdinal = await ordinalOf(reader, conversation, fromMessageId);
      const toOrdinal = await ordinalOf(reader, conversation, toMessageId);
      if (fromOrdinal !== null && toOrdinal !== null && toOrdinal < fromOrdinal) {
        throw wrongSpan('/toMessageId', 'must not be before fromMessageId');
      }
      const { endUser, project } = conversation;
      return { endUser, project, fromOrdinal, toOrdinal };
    },
    markCut: (connection, { tenantId, id }, through) => updateCutThrough(connection, tenantId, id, through),
    listUncut: (limit, afterTenant) => listUncut(db.readers, limit, afterTenant),
  };
}

function wrongSpan(path: string, message: string): AppError {
  return new AppError('invalid_request', 'The span of messages is not valid.', { errors: [{ path, message }] });
}
