import type { Message, NewMessage } from '../../contract/conversations.ts';
import { deriveFrom } from '../traits/traits.ts';
import {
  type ConversationRow,
  fromNewMessage,
  type MessageRow,
  messageBytesOf,
  messageRowId,
  ROW_IDS_PER_CONVERSATION,
  toMessage,
} from './message-row.ts';

/** An append request, validated before the transaction. */
export interface Append {
  tenantId: string;
  conversationId: string;
  messages: readonly DraftMessage[];
}

/** A message before it is assigned an ordinal and an id. */
export type DraftMessage = Omit<MessageRow, 'number' | 'tenantId' | 'conversationId' | 'ordinal' | 'id' | 'scope'>;

/** Converts the messages of a request to drafts, in steps. Throws `invalid_request` for a value that cannot be stored. */
export function* draftsInSteps(
  messages: readonly NewMessage[],
  author: string | null,
  nowMs: number,
): Generator<void, DraftMessage[]> {
  const drafts: DraftMessage[] = [];
  for (const [index, message] of messages.entries()) {
    drafts.push({ ...draftOf(message, index, nowMs), author });
    yield;
  }
  return drafts;
}

function draftOf(message: NewMessage, index: number, nowMs: number): Omit<DraftMessage, 'author'> {
  const fields = fromNewMessage(message, `/messages/${index}`);
  const createdAt = fields.createdAt ?? nowMs;
  return { ...fields, createdAt, ...deriveFrom(fields.content, createdAt) };
}

/** Returns the stored bytes of messages together. */
export function bytesOfMessages(messages: readonly DraftMessage[]): number {
  return messages.reduce((sum, message) => sum + messageBytesOf(message), 0);
}

/** Whether the conversation has too few ordinals left. */
export function isFull({ messages }: Append, { lastOrdinal }: ConversationRow): boolean {
  return lastOrdinal + messages.length >= ROW_IDS_PER_CONVERSATION;
}

/** The effect of an append. */
export interface Appended {
  conversation: ConversationRow;
  rows: MessageRow[];
  answers: Message[];
}

/**
 * Assigns the next ordinals to messages, in the order sent and in steps. For several appends to a conversation in one
 * transaction, pass each the conversation that the previous one returned.
 */
export function* planAppend(
  { tenantId, conversationId, messages }: Append,
  conversation: ConversationRow,
  nextId: () => string,
  nowMs: number,
): Generator<void, Appended> {
  const first = conversation.lastOrdinal + 1;
  const rows = messages.map((message, index) => ({
    number: messageRowId(conversation.number, first + index),
    tenantId,
    conversationId,
    ordinal: first + index,
    id: nextId(),
    scope: conversation.scope,
    ...message,
  }));
  const answers: Message[] = [];
  for (const row of rows) {
    answers.push(toMessage(row));
    yield;
  }
  return {
    conversation: {
      ...conversation,
      version: conversation.version + 1,
      messageCount: conversation.messageCount + rows.length,
      lastOrdinal: conversation.lastOrdinal + rows.length,
      lastMessageAt: rows.at(-1)?.createdAt ?? conversation.lastMessageAt,
      updatedAt: nowMs,
    },
    rows,
    answers,
  };
}
