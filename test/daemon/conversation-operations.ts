import { SPAN } from '../features/conversations/conversation-caller.ts';
import type { CallOptions } from '../helpers/daemon.ts';

/** The ids of one tenant's resources that a request names. */
export interface Named {
  conversation: string;
  message: string;
  episode: string;
}

interface Operation {
  /** The route in the OpenAPI document. */
  route?: string;
  path(named: Named): string;
  options(named: Named): CallOptions;
  succeeds: number;
}

const conversation = ({ conversation: id }: Named) => `/v1/conversations/${id}`;
const messages = (named: Named) => `${conversation(named)}/messages`;
const message = (named: Named) => `${messages(named)}/${named.message}`;
const episode = ({ episode: id }: Named) => `/v1/episodes/${id}`;
const read = () => ({});
const erase = () => ({ method: 'DELETE' });
const change = () => ({ method: 'PATCH', body: { title: 'Taken over' } });
const append = { messages: [{ role: 'user', content: 'Taken over' }] };

/** Every request that names a conversation, a message or an episode. */
export const CONVERSATION_OPERATIONS: Record<string, Operation> = {
  'reading it': { route: 'get /v1/conversations/{id}', path: conversation, options: read, succeeds: 200 },
  'changing it': { route: 'patch /v1/conversations/{id}', path: conversation, options: change, succeeds: 200 },
  'erasing it': { route: 'delete /v1/conversations/{id}', path: conversation, options: erase, succeeds: 204 },
  'paging through it': { route: 'get /v1/conversations/{id}/messages', path: messages, options: read, succeeds: 200 },
  'appending to it': {
    route: 'post /v1/conversations/{id}/messages',
    path: messages,
    options: () => ({ body: append }),
    succeeds: 201,
  },
  'appending to it under a key': {
    path: messages,
    options: (named) => ({ body: append, headers: { 'idempotency-key': `k${named.conversation}` } }),
    succeeds: 201,
  },
  'remembering in it': {
    path: () => '/v1/remember',
    options: ({ conversation: conversationId }) => ({ body: { conversationId, ...append } }),
    succeeds: 201,
  },
  'reading a message': {
    route: 'get /v1/conversations/{id}/messages/{messageId}',
    path: message,
    options: read,
    succeeds: 200,
  },
  'changing a message': {
    route: 'patch /v1/conversations/{id}/messages/{messageId}',
    path: message,
    options: () => ({ method: 'PATCH', body: { content: 'Taken over' } }),
    succeeds: 200,
  },
  'erasing its messages': {
    route: 'delete /v1/conversations/{id}/messages',
    path: messages,
    options: erase,
    succeeds: 204,
  },
  'erasing a message': {
    route: 'delete /v1/conversations/{id}/messages/{messageId}',
    path: message,
    options: erase,
    succeeds: 204,
  },
  'cutting it into episodes': {
    route: 'post /v1/conversations/{id}/episodes',
    path: (named) => `${conversation(named)}/episodes`,
    options: () => ({ method: 'POST' }),
    succeeds: 201,
  },
  'writing an episode of it': {
    path: () => '/v1/episodes',
    options: (named) => ({ body: { title: 'Taken over', conversationId: named.conversation, ...SPAN } }),
    succeeds: 201,
  },
  'reading an episode': { route: 'get /v1/episodes/{id}', path: episode, options: read, succeeds: 200 },
  'changing an episode': { route: 'patch /v1/episodes/{id}', path: episode, options: change, succeeds: 200 },
  'erasing an episode': { route: 'delete /v1/episodes/{id}', path: episode, options: erase, succeeds: 204 },
};
