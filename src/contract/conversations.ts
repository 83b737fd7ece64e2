import { type Static, Type } from 'typebox';
import { IdParams, KeptMetadata, Metadata, Name, Nullable, Page, PageQuery, strict, Timestamp } from './common.ts';

export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;
const Title = Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' });

export const NewConversation = Type.Object(
  {
    title: Type.Optional(Title),
    user: Type.Optional(Name),
    metadata: Type.Optional(Metadata),
    createdAt: Type.Optional(Timestamp),
  },
  strict,
);
export type NewConversation = Static<typeof NewConversation>;

export const ConversationChange = Type.Object(
  { title: Type.Optional(Nullable(Title)), metadata: Type.Optional(Metadata) },
  { ...strict, minProperties: 1 },
);
export type ConversationChange = Static<typeof ConversationChange>;

export const Conversation = Type.Object({
  id: Type.String(),
  title: Nullable(Type.String()),
  user: Type.String(),
  metadata: KeptMetadata,
  messageCount: Type.Integer(),
  lastMessageAt: Nullable(Type.String({ format: 'date-time' })),
  version: Type.Integer(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
});
export type Conversation = Static<typeof Conversation>;

export const ConversationsQuery = Type.Object(
  {
    ...PageQuery,
    user: Type.Optional(Name),
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  },
  strict,
);
export type ConversationsQuery = Static<typeof ConversationsQuery>;
export const ConversationPage = Page(Conversation);

export const NewMessage = Type.Object(
  {
    role: Type.Enum([...ROLES]),
    content: Type.String({ minLength: 1, maxLength: 100_000, pattern: '\\S' }),
    name: Type.Optional(Name),
    createdAt: Type.Optional(Timestamp),
    metadata: Type.Optional(Metadata),
  },
  strict,
);
export type NewMessage = Static<typeof NewMessage>;

const MessageList = Type.Array(NewMessage, { minItems: 1, maxItems: 500 });
export const NewMessages = Type.Object({ messages: MessageList }, strict);

export const Message = Type.Object({
  id: Type.String(),
  conversationId: Type.String(),
  ordinal: Type.Integer({
    description: 'Its place in the conversation, from 1; that of a deleted message stays empty',
  }),
  role: Type.Enum([...ROLES]),
  name: Nullable(Type.String()),
  content: Type.String(),
  metadata: KeptMetadata,
  createdAt: Type.String({ format: 'date-time' }),
});
export type Message = Static<typeof Message>;
export const Messages = Type.Object({ data: Type.Array(Message) });
export const MessagePage = Page(Message);

export const MessagesQuery = Type.Object(
  { ...PageQuery, order: Type.Optional(Type.Enum(['newest', 'oldest'], { default: 'newest' })) },
  strict,
);
export type MessagesQuery = Static<typeof MessagesQuery>;

export const MessageParams = Type.Object({
  ...IdParams.properties,
  messageId: Type.String({ maxLength: 300 }),
});

/** Messages for a conversation that may not be there yet. */
export const ConversationAppend = Type.Object(
  {
    conversationId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    title: Type.Optional(Title),
    user: Type.Optional(Name),
    messages: MessageList,
  },
  strict,
);
export type ConversationAppend = Static<typeof ConversationAppend>;

export const ConversationAppended = Type.Object({
  conversationId: Type.String(),
  messageIds: Type.Array(Type.String(), { description: 'In the order sent' }),
});
export type ConversationAppended = Static<typeof ConversationAppended>;
