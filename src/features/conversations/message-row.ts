import type { Conversation, Message } from '../../contract/conversations.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import type { TextEntry } from '../text/text-index-sqlite.ts';

/** A conversation as it is stored; instants are epoch milliseconds, `metadata` JSON. */
export interface ConversationRow {
  tenantId: string;
  id: string;
  /** Its own among all conversations; never changes. */
  number: number;
  scope: number;
  endUser: string;
  title: string | null;
  metadata: string;
  version: number;
  messageCount: number;
  /** The place of the newest message there ever was; places are never given again. */
  lastOrdinal: number;
  /** Up to which place it is cut into episodes; `null` where nobody asked for that. */
  cutThrough: number | null;
  lastMessageAt: number | null;
  createdAt: number;
  updatedAt: number;
  /** Set while its rows are being erased. */
  erasedAt: number | null;
}

/** A message as it is stored. */
export interface MessageRow {
  /** See `messageNumber`. */
  number: number;
  tenantId: string;
  conversationId: string;
  ordinal: number;
  id: string;
  scope: number;
  role: Message['role'];
  name: string | null;
  content: string;
  metadata: string;
  createdAt: number;
  traits: number;
  dates: string | null;
}

/** A stored conversation as the interface shows it. */
export function toConversation(row: ConversationRow): Conversation {
  return {
    id: row.id,
    title: row.title,
    user: row.endUser,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    messageCount: row.messageCount,
    lastMessageAt: toTimestampOrNull(row.lastMessageAt),
    version: row.version,
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  };
}

/** A message as the full-text index takes it. */
export function textEntryOf({ number, scope, content, name, createdAt, dates }: MessageRow): TextEntry {
  const days = { at: createdAt, until: createdAt, dates };
  return { number, scope, part: 'live', texts: [content], days, ...(name !== null && { speaker: name }) };
}

/** A stored message as the interface shows it. */
export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    conversationId: row.conversationId,
    ordinal: row.ordinal,
    role: row.role,
    name: row.name,
    content: row.content,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    createdAt: toTimestamp(row.createdAt),
  };
}
