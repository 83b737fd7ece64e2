import type { Operations } from './operations.ts';

const USER = {
  user: 'ada',
  memories: 214,
  conversations: 12,
  messages: 1870,
  episodes: 31,
  firstSeenAt: '2026-01-04T09:12:44.120Z',
  lastSeenAt: '2026-11-22T04:04:51.877Z',
};

export const USER_OPERATIONS: Operations = {
  'GET /v1/users': {
    id: 'users.list',
    description: 'Lists the end users of the account page by page, those that were first stored last first.',
    answer: { data: [USER], nextCursor: null },
  },
  'GET /v1/users/{user}': {
    id: 'users.get',
    description: 'Returns how much is stored of an end user.',
    answer: USER,
    etag: true,
  },
  'DELETE /v1/users/{user}': {
    id: 'users.delete',
    description:
      'Erases all that is stored of an end user: memories with their history, conversations, episodes and what the ranking learned. Creating anything for the user is refused until it is done. This cannot be undone.',
    etag: true,
  },
};
