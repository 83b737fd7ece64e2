import {
  conversationFields,
  LAST_ORDINAL,
  type Message,
  messageFields,
  type NewMessage,
} from '../../contract/conversations.ts';
import type { PortableMessage } from '../../contract/portability.ts';
import { createRowCodec, type GivenRowOf, type RowOf } from '../../db/row-codec.ts';
import { columnNames, textBytesOf } from '../../db/values.ts';
import type { TextEntry } from '../text/text-indices.ts';
import { type Derived, deriveFrom } from '../traits/traits.ts';
import { storedContentOf } from './message-content.ts';

/** The columns of a conversation that are not API fields. */
interface ConversationStorage {
  tenantId: string;
  /** Unique among the conversations of all tenants; never changes. */
  number: number;
  scope: number;
  /** The highest ordinal ever assigned; ordinals are not reused. */
  lastOrdinal: number;
  /** The ordinal up to which the conversation is cut into episodes; `null` if cutting was never requested. */
  cutThrough: number | null;
  /** Set while the rows are being erased. */
  erasedAt: number | null;
}

/** A stored conversation. */
export interface ConversationRow extends RowOf<typeof conversationFields>, ConversationStorage {}

/** The columns of a message that are not API fields. */
interface MessageStorage extends Derived {
  /** See `messageRowId`. */
  number: number;
  tenantId: string;
  scope: number;
}

/** A stored message. */
export interface MessageRow extends RowOf<typeof messageFields>, MessageStorage {}

/** Converts between rows and API values. */
export const conversationCodec = createRowCodec(conversationFields);
export const messageCodec = createRowCodec(messageFields);
export const { toAnswer: toConversation } = conversationCodec;

/** Converts a row to the API's message, whose `content` is the parts where there are any. */
export function toMessage(row: MessageRow): Message {
  const { parts, ...message } = messageCodec.toAnswer(row);
  return parts === null ? message : { ...message, content: parts };
}

/** Converts a row to an exported message. Without parts it is what older versions of svc export. */
export function toPortableMessage(row: MessageRow): PortableMessage {
  const { parts, author, ...message } = messageCodec.toPortable(row);
  return { type: 'message', ...message, ...(parts && { parts }), ...(author && { author }) };
}

/** Converts a new message at `path` of the request. Throws `invalid_request` for a value that cannot be stored. */
export function fromNewMessage(message: NewMessage, path: string): GivenRowOf<typeof messageFields> {
  const { content, parts } = storedContentOf(message.content, `${path}/content`);
  return messageCodec.fromNew({ ...message, content, ...(parts && { parts }) }, path);
}

/** Converts an exported message; its parts decide about its text. Throws `invalid_request` like `fromNewMessage`. */
export function fromPortableMessage(message: PortableMessage): RowOf<typeof messageFields> & Derived {
  const row = messageCodec.fromPortable({
    ...message,
    ...storedContentOf(message.parts ?? message.content, '/content'),
  });
  return { ...row, ...deriveFrom(row.content, row.createdAt) };
}

export const CONVERSATION_COLUMNS: readonly (keyof ConversationRow)[] = [
  ...conversationCodec.columns,
  ...columnNames<ConversationStorage>({
    tenantId: true,
    number: true,
    scope: true,
    lastOrdinal: true,
    cutThrough: true,
    erasedAt: true,
  }),
];

export const MESSAGE_COLUMNS: readonly (keyof MessageRow)[] = [
  ...messageCodec.columns,
  ...columnNames<MessageStorage>({ number: true, tenantId: true, scope: true, traits: true, dates: true }),
];

/** The columns that count as stored bytes. */
const CONVERSATION_TEXTS = ['title', 'metadata'] as const;

/** The columns that count as stored bytes, and that are overwritten when a message is erased. */
export const MESSAGE_TEXTS = ['content', 'parts', 'name', 'metadata'] as const;

/** Returns the stored bytes of a conversation, without its messages. */
export function conversationBytesOf(row: Pick<ConversationRow, (typeof CONVERSATION_TEXTS)[number]>): number {
  return textBytesOf(row, CONVERSATION_TEXTS);
}

/** Returns the stored bytes of a message. */
export function messageBytesOf(row: Pick<MessageRow, (typeof MESSAGE_TEXTS)[number]>): number {
  return textBytesOf(row, MESSAGE_TEXTS);
}

/** Row ids reserved for each conversation, so its last message has the ordinal `ROW_IDS_PER_CONVERSATION - 1`. */
export const ROW_IDS_PER_CONVERSATION = LAST_ORDINAL + 1;

/**
 * Returns the row id of a message. The messages of a conversation have consecutive row ids in the messages table and
 * the full-text index, so a search finds the neighbors of a hit without reading rows.
 */
export function messageRowId(conversationNumber: number, ordinal: number): number {
  return conversationNumber * ROW_IDS_PER_CONVERSATION + ordinal;
}

/** Converts a message to a full-text index entry. */
export function textEntryOf(row: MessageRow): TextEntry {
  const { tenantId, scope, number, content, name, createdAt, dates } = row;
  const days = { at: createdAt, until: createdAt, dates };
  return { tenantId, scope, number, part: 'live', texts: [content], days, ...(name !== null && { speaker: name }) };
}
