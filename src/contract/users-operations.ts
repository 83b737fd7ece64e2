import { tagged } from './operations.ts';

const USER = {
  user: 'ada',
  memories: 214,
  conversations: 12,
  messages: 1870,
  episodes: 31,
  firstSeenAt: '2026-01-04T09:12:44.120Z',
  lastSeenAt: '2026-11-22T04:04:51.877Z',
};

export const USER_OPERATIONS = tagged('users', {
  'GET /v1/profile': {
    id: 'users.profile',
    summary: 'Get a digest of what is remembered about a user',
    description:
      'Returns a digest of what is remembered about a user, as MCP clients read it from `memory://profile`: pinned and newest memories, frequent tags, recent conversations and episodes. It is made without a model.',
    answer: {
      user: 'ada',
      text: '# What is remembered about ada\n\n## Newest\n\n- Ada drinks oolong tea (2026-11-22)\n',
      tokens: 28,
      maxTokens: 1500,
    },
    errors: ['not_found', 'conflict'],
  },
  'GET /v1/users': {
    id: 'users.list',
    summary: 'List end users, latest first',
    description: 'Lists the end users of the account page by page, those that were first stored last first.',
    answer: { data: [USER], nextCursor: null },
  },
  'GET /v1/users/{user}': {
    id: 'users.get',
    summary: 'Get an end user',
    description: 'Returns how much is stored of an end user.',
    answer: USER,
    etag: true,
  },
  'DELETE /v1/users/{user}': {
    id: 'users.delete',
    summary: 'Erase an end user with everything stored and learned',
    description:
      'Erases all that is stored of an end user: memories with their history, conversations, episodes and what the ranking learned. Creating anything for the user is refused until it is done. This cannot be undone.',
    etag: true,
  },
});
