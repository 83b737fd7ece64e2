import type {
  AppendedMessage,
  Conversation,
  Message,
  MessageChange,
  MessagesQuery,
} from '../../contract/conversations.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import { contentTagOf, versionTagOf } from '../../lib/entity-tag.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { type PreparedTerms, partlyIndexed, requireTerms, writeWithTerms } from '../text/prepared-terms.ts';
import type { TextIndex } from '../text/text-indices.ts';
import { deriveFrom } from '../traits/traits.ts';
import type { ConversationErasing, MessageObserver } from './conversation-erasure.ts';
import { findConversation, updateConversation } from './conversations-store.ts';
import { noConversation } from './message-append.ts';
import { storedContentOf } from './message-content.ts';
import {
  type ConversationRow,
  type MessageRow,
  messageCodec,
  textEntryOf,
  toConversation,
  toMessage,
} from './message-row.ts';
import { findMessage, findMessagesById, listMessages, updateMessage } from './messages-store.ts';

/** A message, its text, which is that of its parts if it has any, and its conversation. */
interface MessageInConversation {
  message: Message;
  text: string;
  conversation: Omit<Conversation, 'preview'>;
}

/** The stored messages of a conversation. Unknown ids and those of other tenants throw `not_found`. */
export interface Messages {
  messages(
    principal: Principal,
    id: string,
    query: MessagesQuery,
  ): Promise<{ data: Message[]; nextCursor: string | null }>;
  message(principal: Principal, id: string, messageId: string): Promise<Message>;
  /** Finds a message by its id alone, with its text and its conversation. */
  messageById(principal: Principal, messageId: string): Promise<MessageInConversation>;
  /**
   * Overwrites what changes: messages have no history. In a space, who changes the content is its author from then on. Throws
   * `precondition_failed` and `quota_exceeded`.
   */
  changeMessage(
    principal: Principal,
    id: string,
    messageId: string,
    change: MessageChange,
    ifMatch?: string,
  ): Promise<AppendedMessage>;
  removeMessage(principal: Principal, id: string, messageId: string, ifMatch?: string): Promise<void>;
  /**
   * Erases the messages that the conversation has now, in batches. `ifMatch` is the tag of the conversation. If the daemon
   * crashes in between, the rest of the messages stay.
   */
  removeMessages(principal: Principal, id: string, ifMatch?: string): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  usage: Usage;
  cursors: Cursors;
  idempotency: Idempotency;
  text: TextIndex;
  observers: readonly MessageObserver[];
  erasing: ConversationErasing;
}

/** Reads, changes and erases messages; see `createAppending` for new ones. */
export function createMessages(parts: Parts): Messages {
  const { db, clock, usage, cursors, erasing } = parts;

  return {
    async messages({ tenantId }, conversationId, { limit = 50, cursor, order = 'newest' }) {
      const conversation = await loadConversation(db.lookups, tenantId, conversationId);
      const boundTo = ['messages', tenantId, conversationId, order];
      const edge = order === 'newest' ? Number.MAX_SAFE_INTEGER : 0;
      const beyond = cursor === undefined ? edge : Number(cursors.read(cursor, boundTo));
      const rows = await listMessages(db.readers.of(tenantId), conversation, { order, beyond, limit: limit + 1 });
      return cursors.page(rows.map(toMessage), limit, boundTo, ({ ordinal }) => String(ordinal));
    },
    async message({ tenantId }, conversationId, messageId) {
      await loadConversation(db.lookups, tenantId, conversationId);
      return toMessage(await loadMessage(db.lookups, { tenantId, conversationId }, messageId));
    },
    async messageById({ tenantId }, messageId) {
      const [found] = await findMessagesById(db.lookups, tenantId, [messageId]);
      if (!found) throw new AppError('not_found', 'There is no message with this id.');
      const { conversationId } = found;
      const conversation = await loadConversation(db.lookups, tenantId, conversationId);
      const row = await loadMessage(db.lookups, { tenantId, conversationId }, messageId);
      return { message: toMessage(row), text: row.content, conversation: toConversation(conversation) };
    },
    changeMessage: ({ tenantId, author = null }, conversationId, messageId, change, ifMatch) =>
      writeWithTerms(tenantId, [], (terms) =>
        db.writes.write(tenantId, async (connection) => {
          const conversation = await loadConversation(connection, tenantId, conversationId);
          const message = await loadMessage(connection, { tenantId, conversationId }, messageId);
          requireMatch(ifMatch, contentTagOf(toMessage(message)), 'message');
          const stored = { conversation, message };
          const by = { author, nowMs: clock.nowMs() };
          const write = () => changeMessage(connection, { ...parts, terms }, stored, change, by);
          const changed = await usage.storage.within(connection, tenantId, write);
          return { ...toMessage(changed), ...partlyIndexed(terms, [changed.content]) };
        }),
      ),
    async removeMessage({ tenantId }, conversationId, messageId, ifMatch) {
      await db.writes.write(tenantId, async (connection) => {
        const conversation = await loadConversation(connection, tenantId, conversationId);
        const message = await loadMessage(connection, { tenantId, conversationId }, messageId);
        requireMatch(ifMatch, contentTagOf(toMessage(message)), 'message');
        await erasing.eraseMessage(connection, conversation, message);
      });
    },
    async removeMessages({ tenantId }, conversationId, ifMatch) {
      let throughOrdinal: number | undefined;
      const eraseSome = async (connection: Connection) => {
        const conversation = await findConversation(connection, tenantId, conversationId);
        if (throughOrdinal !== undefined && !conversation) return false;
        if (!conversation) throw noConversation();
        if (throughOrdinal === undefined) {
          requireMatch(ifMatch, versionTagOf(toConversation(conversation)), 'conversation');
        }
        throughOrdinal ??= conversation.lastOrdinal;
        return erasing.eraseSomeMessages(connection, conversation, throughOrdinal);
      };
      while (await db.writes.write(tenantId, eraseSome));
    },
  };
}

/** Throws `not_found`. */
export async function loadConversation(reader: Reader, tenantId: string, id: string): Promise<ConversationRow> {
  const row = await findConversation(reader, tenantId, id);
  if (!row) throw noConversation();
  return row;
}

async function loadMessage(
  reader: Reader,
  conversation: { tenantId: string; conversationId: string },
  messageId: string,
): Promise<MessageRow> {
  const row = await findMessage(reader, conversation, messageId);
  if (!row) throw new AppError('not_found', 'This conversation has no message with this id.');
  return row;
}

interface MessageChangeParts {
  text: TextIndex;
  terms: PreparedTerms;
  idempotency: Idempotency;
  observers: readonly MessageObserver[];
}

/**
 * Overwrites a message, its index entry, and what was derived from or quotes its old text, in the caller's transaction. A
 * change without effect writes nothing. Throws `invalid_request` for a value that cannot be stored, and `TermsMissing`.
 */
async function changeMessage(
  connection: Connection,
  { text, terms, idempotency, observers }: MessageChangeParts,
  { conversation, message }: { conversation: ConversationRow; message: MessageRow },
  change: MessageChange,
  { author, nowMs }: { author: string | null; nowMs: number },
): Promise<MessageRow> {
  const next = changedRow(message, change, author);
  if (next === undefined) return message;
  requireTerms(terms, [[next.content]]);
  await updateMessage(connection, next);
  if (next.content !== message.content || next.name !== message.name) {
    await text.remove(connection, [next]);
    await text.insert(connection, [textEntryOf(next)], terms);
  }
  await idempotency.redact(connection, next.tenantId, [next.id]);
  await updateConversation(connection, { ...conversation, version: conversation.version + 1, updatedAt: nowMs });
  const saysTheSame = (['content', 'parts', 'name'] as const).every((column) => next[column] === message[column]);
  if (saysTheSame) return next;
  for (const observer of observers) await observer.changed?.(connection, conversation, next);
  return next;
}

function changedRow(
  row: MessageRow,
  { content, ...others }: MessageChange,
  author: string | null,
): MessageRow | undefined {
  const changed = messageCodec.changed(row, {
    ...others,
    ...(content !== undefined && storedContentOf(content, '/content')),
  });
  if (!changed) return undefined;
  const saysTheSame = changed.content === row.content && changed.parts === row.parts;
  const derived = deriveFrom(changed.content, changed.createdAt);
  return { ...changed, ...derived, author: saysTheSame ? row.author : author };
}
