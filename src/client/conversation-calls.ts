import type {
  AppendedMessage,
  Conversation,
  ConversationChange,
  ConversationsQuery,
  Message,
  MessageChange,
  MessagesQuery,
  NewConversation,
  NewMessage,
} from '../contract/conversations.ts';
import type { Episode } from '../contract/episodes.ts';
import type { JobAccepted, NewExtraction } from '../contract/jobs.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from './call-options.ts';
import { resourceCalls } from './calls.ts';
import type { Transport } from './transport.ts';

/** Calls for conversations, their messages, and splitting them into episodes. */
export function conversationCalls(transport: Transport) {
  const { create } = transport;
  const path = (id: string) => `/v1/conversations/${encodeURIComponent(id)}`;
  return {
    create: (conversation: NewConversation = {}, options?: CreateOptions): ApiPromise<Conversation> =>
      create('/v1/conversations', conversation, options),
    ...resourceCalls<Conversation, ConversationChange, ConversationsQuery>(transport, '/v1/conversations'),
    /** Splits the conversation into episodes, which are kept up to date from then on. */
    cut: (id: string, options?: CreateOptions): ApiPromise<{ data: Episode[] }> =>
      create(`${path(id)}/episodes`, undefined, options),
    /** Queues extraction of memories with the account's own model; `jobs.wait` returns the outcome. */
    extract: (id: string, extraction: NewExtraction = {}, options?: CreateOptions): ApiPromise<JobAccepted> =>
      create(`${path(id)}/extract`, extraction, options),
    messages: messageCalls(transport, path),
  };
}

function messageCalls({ send, create, list }: Transport, conversationPath: (id: string) => string) {
  const collection = (id: string) => `${conversationPath(id)}/messages`;
  const path = (id: string, messageId: string) => `${collection(id)}/${encodeURIComponent(messageId)}`;
  return {
    /** Appends 1 to 500 messages, all or none, and returns them in the order sent. */
    append: (id: string, messages: NewMessage[], options?: CreateOptions): ApiPromise<{ data: AppendedMessage[] }> =>
      create(collection(id), { messages }, options),
    /** Lists messages in the order of the query, newest first by default. */
    list: (id: string, query?: MessagesQuery, options?: CallOptions): PagePromise<Message> =>
      list(collection(id), query, options),
    get: (id: string, messageId: string, options?: CallOptions): ApiPromise<Message> =>
      send('GET', path(id, messageId), undefined, options),
    update: (
      id: string,
      messageId: string,
      change: MessageChange,
      options?: ChangeOptions,
    ): ApiPromise<AppendedMessage> => send('PATCH', path(id, messageId), change, options),
    /** Erases all messages; the conversation stays. `ifMatch` is the tag of the conversation. */
    deleteAll: (id: string, options?: ChangeOptions): ApiPromise<void> =>
      send('DELETE', collection(id), undefined, options),
    delete: (id: string, messageId: string, options?: ChangeOptions): ApiPromise<void> =>
      send('DELETE', path(id, messageId), undefined, options),
  };
}
