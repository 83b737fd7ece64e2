import type {
  Conversation,
  ConversationChange,
  ConversationsQuery,
  Message,
  MessagesQuery,
  NewConversation,
  NewMessage,
} from '../contract/conversations.ts';
import type { Episode } from '../contract/episodes.ts';
import type { JobAccepted, NewExtraction } from '../contract/jobs.ts';
import {
  allPages,
  type ChangeOptions,
  type CreateOptions,
  ifMatchHeader,
  type PageOf,
  queryString,
  resourceCalls,
  type Transport,
} from './calls.ts';

/** The messages appended by a call. */
export interface AppendedMessages {
  /** In the order sent. */
  data: Message[];
  replayed: boolean;
}

/** Calls for conversations, their messages, and splitting them into episodes. */
export function conversationCalls(transport: Transport) {
  const { send, create } = transport;
  const path = (id: string) => `/v1/conversations/${encodeURIComponent(id)}`;
  const messagePath = (id: string, messageId: string) => `${path(id)}/messages/${encodeURIComponent(messageId)}`;

  const messages = (id: string, query: MessagesQuery = {}): Promise<PageOf<Message>> =>
    send('GET', `${path(id)}/messages${queryString(query)}`);

  return {
    create: async (conversation: NewConversation = {}, extra?: CreateOptions): Promise<Conversation> =>
      (await create<Conversation>('/v1/conversations', conversation, extra)).body,
    ...resourceCalls<Conversation, ConversationChange, ConversationsQuery>(transport, '/v1/conversations'),
    /** Appends 1 to 500 messages, all or none. `replayed` if an earlier call with the same key already did. */
    async append(id: string, added: NewMessage[], extra?: CreateOptions): Promise<AppendedMessages> {
      const { body, replayed } = await create<{ data: Message[] }>(`${path(id)}/messages`, { messages: added }, extra);
      return { ...body, replayed };
    },
    messages,
    /** Yields every message in the order of the query, newest first by default. */
    allMessages: (id: string, query: MessagesQuery = {}): AsyncGenerator<Message> =>
      allPages((page: MessagesQuery) => messages(id, page), query),
    message: (id: string, messageId: string): Promise<Message> => send('GET', messagePath(id, messageId)),
    removeMessage: (id: string, messageId: string, extra?: ChangeOptions) =>
      send<void>('DELETE', messagePath(id, messageId), undefined, ifMatchHeader(extra)),
    /** Splits the conversation into episodes, which are kept up to date from then on. */
    cut: async (id: string, extra?: CreateOptions): Promise<{ data: Episode[] }> =>
      (await create<{ data: Episode[] }>(`${path(id)}/episodes`, undefined, extra)).body,
    /** Queues extraction of memories with the account's own model; `jobs` shows its progress. */
    extract: async (id: string, extraction: NewExtraction = {}, extra?: CreateOptions): Promise<JobAccepted> =>
      (await create<JobAccepted>(`${path(id)}/extract`, extraction, extra)).body,
  };
}
