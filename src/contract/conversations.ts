import { type Static, Type } from 'typebox';
import {
  AnyId,
  CountedPage,
  IdParams,
  MadeId,
  Metadata,
  Name,
  Nullable,
  orderQuery,
  Page,
  PageQuery,
  partlyIndexedProperty,
  redactedProperty,
  strict,
  Text,
  Timestamp,
  Version,
} from './common.ts';
import {
  answerProperties,
  authorField,
  changeProperties,
  integer,
  json,
  metadataRules,
  newProperties,
  projectField,
  text,
  timestamp,
  userField,
} from './fields.ts';
import { MAX_CONTENT_CHARACTERS, MessageContent, MessageParts } from './message-content.ts';
import { Project, projectQuery } from './project.ts';

export const ROLES = ['user', 'assistant', 'system', 'tool'] as const;
export const Role = Type.Enum([...ROLES]);
const Title = Text(500);
/** The highest ordinal a message can have. */
export const LAST_ORDINAL = 4_194_303;

export const conversationFields = {
  id: text(MadeId('conv')),
  title: text(Title, { nullable: true, create: 'optional', change: 'set-or-clear' }),
  user: userField,
  project: projectField,
  metadata: json(Metadata, { ...metadataRules, change: 'set' }),
  messageCount: integer(Type.Integer(), { default: 0, portable: false }),
  lastMessageAt: timestamp({ nullable: true, portable: false }),
  version: integer(Version),
  createdAt: timestamp({ create: 'optional' }),
  updatedAt: timestamp(),
};

export const NewConversation = Type.Object(newProperties(conversationFields), strict);
export type NewConversation = Static<typeof NewConversation>;

export const ConversationChange = Type.Object(changeProperties(conversationFields), { ...strict, minProperties: 1 });
export type ConversationChange = Static<typeof ConversationChange>;

export const Conversation = Type.Object({
  ...answerProperties(conversationFields),
  preview: Nullable(
    Type.String({
      description:
        'The first words of the first user message, if it is among the first 20 messages; shown in place of a missing title',
    }),
  ),
});
export type Conversation = Static<typeof Conversation>;

export const ConversationsQuery = Type.Object(
  {
    ...PageQuery,
    ...orderQuery,
    user: Type.Optional(Name),
    ...projectQuery,
    after: Type.Optional(Timestamp),
    before: Type.Optional(Timestamp),
  },
  strict,
);
export type ConversationsQuery = Static<typeof ConversationsQuery>;
export const ConversationPage = CountedPage(Conversation);

/** A message, as stored and exported. In the API, `content` is `parts` where there are any: see `NewMessage`. */
export const messageFields = {
  id: text(MadeId('msg')),
  conversationId: text(MadeId('conv')),
  ordinal: integer(Type.Integer({ minimum: 1, maximum: LAST_ORDINAL }), {
    answer: Type.Integer({
      description: 'Position in the conversation, starting at 1. The ordinal of a deleted message is not reused',
    }),
  }),
  role: text(Role, { answer: Role, create: 'required' }),
  name: text(Name, { nullable: true, create: 'optional', change: 'set-or-clear' }),
  /** The text that is searched; of `parts` if there are any. */
  content: text(Text(MAX_CONTENT_CHARACTERS), { create: 'required', change: 'set' }),
  parts: json(MessageParts, {
    answer: MessageParts,
    nullable: true,
    create: 'optional',
    change: 'set-or-clear',
    default: null,
  }),
  metadata: json(Metadata, { ...metadataRules, change: 'set' }),
  author: authorField,
  createdAt: timestamp({ create: 'optional' }),
};

const { parts: _given, ...given } = newProperties(messageFields);
export const NewMessage = Type.Object({ ...given, content: MessageContent }, strict);
export type NewMessage = Static<typeof NewMessage>;

const { parts: _changed, ...changeable } = changeProperties(messageFields);
export const MessageChange = Type.Object(
  { ...changeable, content: Type.Optional(MessageContent) },
  { ...strict, minProperties: 1 },
);
export type MessageChange = Static<typeof MessageChange>;

export const MessageList = Type.Array(NewMessage, { minItems: 1, maxItems: 500 });
export const NewMessages = Type.Object({ messages: MessageList }, strict);

const { parts: _answered, ...answered } = answerProperties(messageFields);
export const Message = Type.Object({ ...answered, content: MessageContent });
export type Message = Static<typeof Message>;
/** The answer to appending a message. */
export const AppendedMessage = Type.Object({ ...Message.properties, ...partlyIndexedProperty, ...redactedProperty });
export type AppendedMessage = Static<typeof AppendedMessage>;
export const Messages = Type.Object({ data: Type.Array(AppendedMessage) });
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

/**
 * Messages to append to an existing conversation, or to a new one if `conversationId` is absent. Their content is text:
 * assistants read this schema with every prompt, and parts would double it.
 */
export const ConversationAppend = Type.Object(
  {
    conversationId: Type.Optional(AnyId),
    title: Type.Optional(Title),
    user: Type.Optional(Name),
    project: Type.Optional(Project),
    messages: Type.Array(Type.Object(given, strict), { minItems: 1, maxItems: 500 }),
  },
  strict,
);
export type ConversationAppend = Static<typeof ConversationAppend>;

export const ConversationAppended = Type.Object({
  conversationId: Type.String(),
  messageIds: Type.Array(Type.String(), { description: 'In the order of the messages sent' }),
  ...partlyIndexedProperty,
  ...redactedProperty,
});
export type ConversationAppended = Static<typeof ConversationAppended>;
