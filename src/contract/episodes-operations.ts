import { tagged } from './operations.ts';

const EPISODE = {
  id: 'ep_01a2016da2b876f3a13b9169de709dc9',
  title: 'Swimming in the lake',
  summary: 'Ada went to the lake and swam, although it was freezing.',
  user: 'ada',
  project: null,
  conversationId: 'conv_01a2016da13b71d781a925123ae0d492',
  fromMessageId: 'msg_01a2016da25f773e82d38afee7c169c5',
  toMessageId: 'msg_01a2016da25f773e82d38afee7c169c6',
  startedAt: '2026-11-22T04:04:51.877Z',
  endedAt: '2026-11-22T04:06:10.000Z',
  outcome: null,
  memoryIds: [],
  metadata: {},
  cut: false,
  version: 1,
  createdAt: '2026-11-22T04:07:00.000Z',
  updatedAt: '2026-11-22T04:07:00.000Z',
};

export const EPISODE_OPERATIONS = tagged('episodes', {
  'POST /v1/episodes': {
    id: 'episodes.create',
    summary: 'Create an episode',
    description: 'Stores a span of time with a title, on its own or as part of a conversation.',
    request: {
      title: EPISODE.title,
      summary: EPISODE.summary,
      user: EPISODE.user,
      conversationId: EPISODE.conversationId,
      fromMessageId: EPISODE.fromMessageId,
      toMessageId: EPISODE.toMessageId,
      startedAt: EPISODE.startedAt,
      endedAt: EPISODE.endedAt,
    },
    answer: EPISODE,
    etag: true,
    once: true,
    location: true,
    errors: ['not_found', 'quota_exceeded'],
  },
  'GET /v1/episodes': {
    id: 'episodes.list',
    summary: 'List episodes',
    description: 'Lists the episodes of all users, or of one, page by page.',
    answer: { data: [EPISODE], nextCursor: null },
  },
  'GET /v1/episodes/{id}': {
    id: 'episodes.get',
    summary: 'Get an episode',
    description: 'Returns one episode.',
    answer: EPISODE,
    etag: true,
  },
  'PATCH /v1/episodes/{id}': {
    id: 'episodes.update',
    summary: 'Change an episode',
    description:
      'Changes the given fields; `null` clears `summary` and `outcome`. The times of an episode that svc cut follow from its messages and cannot be changed.',
    request: { outcome: 'Ada will bring a towel next time.' },
    answer: { ...EPISODE, outcome: 'Ada will bring a towel next time.', version: 2 },
    etag: true,
    errors: ['conflict', 'quota_exceeded'],
  },
  'DELETE /v1/episodes/{id}': {
    id: 'episodes.delete',
    summary: 'Erase an episode but not its messages',
    description: 'Erases the episode. Its messages and memories stay.',
    etag: true,
  },
  'POST /v1/conversations/{id}/episodes': {
    id: 'conversations.cut',
    summary: 'Cut a conversation into episodes at pauses and changes of topic',
    description:
      'Cuts a conversation into episodes at pauses and changes of topic, without a model. From then on, svc extends them as messages are appended.',
    answer: { data: [{ ...EPISODE, title: 'went, lake, yesterday, swim', cut: true }] },
    once: true,
    errors: ['quota_exceeded'],
  },
});
