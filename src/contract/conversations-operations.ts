import { tagged } from './operations.ts';

const EXAMPLE_CONVERSATION = {
  id: 'conv_01a2016da13b71d781a925123ae0d492',
  title: 'A day at the lake',
  user: 'ada',
  project: null,
  metadata: {},
  messageCount: 2,
  lastMessageAt: '2026-11-22T04:04:51.877Z',
  version: 1,
  createdAt: '2026-11-22T04:04:51.643Z',
  updatedAt: '2026-11-22T04:04:51.643Z',
  preview: 'I went to the lake yesterday.',
};

const MESSAGE = {
  id: 'msg_01a2016da25f773e82d38afee7c169c5',
  conversationId: EXAMPLE_CONVERSATION.id,
  ordinal: 1,
  role: 'user',
  author: null,
  name: 'Ada',
  content: 'I went to the lake yesterday.',
  metadata: {},
  createdAt: '2026-11-22T04:04:51.877Z',
};

export const CONVERSATION_OPERATIONS = tagged('conversations', {
  'POST /v1/conversations': {
    id: 'conversations.create',
    summary: 'Create a conversation',
    description: 'Creates an empty conversation. Append its messages in a second request.',
    request: { title: 'A day at the lake', user: 'ada' },
    answer: { ...EXAMPLE_CONVERSATION, messageCount: 0, lastMessageAt: null, preview: null },
    etag: true,
    once: true,
    location: true,
    errors: ['quota_exceeded'],
  },
  'GET /v1/conversations': {
    id: 'conversations.list',
    summary: 'List conversations',
    description: 'Lists the conversations of all users, or of one, page by page.',
    answer: { data: [EXAMPLE_CONVERSATION], nextCursor: null },
  },
  'GET /v1/conversations/{id}': {
    id: 'conversations.get',
    summary: 'Get a conversation',
    description: 'Returns a conversation without its messages.',
    answer: EXAMPLE_CONVERSATION,
    etag: true,
  },
  'PATCH /v1/conversations/{id}': {
    id: 'conversations.update',
    summary: 'Change the title or metadata of a conversation',
    description: 'Changes the given fields. `metadata` replaces the whole value; `null` clears `title`.',
    request: { title: 'A cold day at the lake' },
    answer: { ...EXAMPLE_CONVERSATION, title: 'A cold day at the lake', version: 2 },
    etag: true,
    errors: ['quota_exceeded'],
  },
  'DELETE /v1/conversations/{id}': {
    id: 'conversations.delete',
    summary: 'Erase a conversation with its messages',
    description: 'Erases the conversation, its messages and the episodes that svc cut from it. This cannot be undone.',
    etag: true,
  },
  'POST /v1/conversations/{id}/messages': {
    id: 'conversations.messages.append',
    summary: 'Append 1 to 500 messages, all or none',
    description: 'Appends all messages or, if one is refused, none. They keep their order and are searchable at once.',
    request: { messages: [{ role: 'user', name: 'Ada', content: 'I went to the lake yesterday.' }] },
    answer: { data: [MESSAGE] },
    once: true,
    errors: ['quota_exceeded'],
  },
  'POST /v1/remember': {
    id: 'remember.create',
    summary: 'Store messages, and extract memories from them if the account has switched that on',
    description:
      'Appends messages to a conversation, or to a new one if none is named, and queues the extraction of memories if the account has switched that on.',
    request: { user: 'ada', messages: [{ role: 'user', name: 'Ada', content: 'I went to the lake yesterday.' }] },
    answer: {
      conversationId: EXAMPLE_CONVERSATION.id,
      messages: [MESSAGE],
      jobId: 'job_01a2016db0c97d1f8f3ce5a4b6d7e8f9',
    },
    once: true,
    errors: ['not_found', 'unprocessable', 'quota_exceeded'],
  },
  'GET /v1/conversations/{id}/messages': {
    id: 'conversations.messages.list',
    summary: 'List the messages of a conversation',
    description: 'Lists the messages of a conversation page by page, newest or oldest first.',
    answer: { data: [MESSAGE], nextCursor: null },
  },
  'GET /v1/conversations/{id}/messages/{messageId}': {
    id: 'conversations.messages.get',
    summary: 'Get a message',
    description: 'Returns one message of a conversation.',
    answer: MESSAGE,
    etag: true,
  },
  'PATCH /v1/conversations/{id}/messages/{messageId}': {
    id: 'conversations.messages.update',
    summary: 'Change the content, name or metadata of a message',
    description: 'Overwrites the given fields: messages have no history. `metadata` replaces the whole value.',
    request: { content: 'I went to the lake on Saturday.' },
    answer: { ...MESSAGE, content: 'I went to the lake on Saturday.' },
    etag: true,
    errors: ['quota_exceeded'],
  },
  'DELETE /v1/conversations/{id}/messages': {
    id: 'conversations.messages.deleteAll',
    summary: 'Erase all messages of a conversation, which stays',
    description:
      'Erases all messages of the conversation, which stays. `If-Match` takes the tag of the conversation. This cannot be undone.',
    ifMatch: true,
  },
  'DELETE /v1/conversations/{id}/messages/{messageId}': {
    id: 'conversations.messages.delete',
    summary: 'Erase a message',
    description: 'Erases one message. The ordinals of the others do not change. This cannot be undone.',
    etag: true,
  },
});
