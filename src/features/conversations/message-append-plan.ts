import type { Message, NewMessage } from '../../contract/conversations.ts';
import { deriveFrom } from '../text/traits.ts';
import {
  type ConversationRow,
  type MessageRow,
  messageCodec,
  messageRowId,
  ROW_IDS_PER_CONVERSATION,
  toMessage,
} from './message-row.ts';

/** One append, checked before the transaction. */
export interface Append {
  tenantId: string;
  conversationId: string;
  messages: readonly DraftMessage[];
}

/** A message without its place and id. */
export type DraftMessage = Omit<MessageRow, 'number' | 'tenantId' | 'conversationId' | 'ordinal' | 'id' | 'scope'>;

/** Messages as they come, checked and measured before the transaction. */
export function draftsOf(messages: readonly NewMessage[], nowMs: number): DraftMessage[] {
  return messages.map((message, index) => draftOf(message, index, nowMs));
}

/** `draftsOf` in steps. */
export function* draftsInSteps(messages: readonly NewMessage[], nowMs: number): Generator<void, DraftMessage[]> {
  const drafts: DraftMessage[] = [];
  for (const [index, message] of messages.entries()) {
    drafts.push(draftOf(message, index, nowMs));
    yield;
  }
  return drafts;
}

function draftOf(message: NewMessage, index: number, nowMs: number): DraftMessage {
  const given = messageCodec.fromNew(message, `/messages/${index}`);
  const createdAt = given.createdAt ?? nowMs;
  return { ...given, createdAt, ...deriveFrom(given.content, createdAt) };
}

/** Whether the conversation has too few places left. */
export function isFull({ messages }: Append, { lastOrdinal }: ConversationRow): boolean {
  return lastOrdinal + messages.length >= ROW_IDS_PER_CONVERSATION;
}

/** What an append does to its conversation. */
export interface Appended {
  conversation: ConversationRow;
  rows: MessageRow[];
  answers: Message[];
}

/**
 * Gives messages their places behind the conversation's last one, in the order sent. Several appends to one
 * conversation in one transaction follow each other: pass each the conversation that the one before returned.
 */
export function planAppend(
  { tenantId, conversationId, messages }: Append,
  conversation: ConversationRow,
  nextId: () => string,
  nowMs: number,
): Appended {
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
    answers: rows.map(toMessage),
  };
}
