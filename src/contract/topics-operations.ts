import { tagged } from './operations.ts';

const ID = 'top_01a2016d8d347075853487a30ea29a42';
const OTHER = 'top_01a2016db1d37f6e9f1d2a7b5c3e4f02';
const LAST_AT = '2026-11-22T04:04:46.511Z';

const TOPIC = {
  id: ID,
  user: 'ada',
  name: 'Petra Novak',
  aliases: ['Petra'],
  memoryCount: 4,
  lastAt: LAST_AT,
  hidden: false,
};

const MEMORY = {
  id: 'mem_01a2016db1d37f6e9f1d2a7b5c3e4f02',
  content: 'Petra leads the payments team',
  tags: [],
  metadata: {},
  user: 'ada',
  project: null,
  pinned: false,
  saidAt: null,
  externalId: null,
  origin: 'person',
  source: null,
  client: 'claude-code',
  author: null,
  occurredAt: null,
  expiresAt: null,
  validFrom: LAST_AT,
  validTo: null,
  supersededBy: null,
  version: 1,
  createdAt: LAST_AT,
  updatedAt: LAST_AT,
};

export const TOPIC_OPERATIONS = tagged('topics', {
  'GET /v1/topics': {
    id: 'topics.list',
    summary: 'List what the memories of a user are about',
    description:
      'Lists what the memories of a user are about, page by page. svc finds topics by names, projects, tags and things that somebody calls theirs, some seconds after a memory was stored; those are listed that at least two memories mention, or that a person named.',
    answer: { data: [TOPIC], nextCursor: null },
  },
  'GET /v1/topics/{id}': {
    id: 'topics.get',
    summary: 'Get a topic with what holds of it and what was before',
    description:
      'Returns a topic with the memories that hold now, those that were superseded, how often it was mentioned by month, and the topics beside it.',
    answer: {
      ...TOPIC,
      now: [MEMORY],
      before: [],
      mentions: [{ month: '2026-11', memories: 4 }],
      related: [{ id: OTHER, name: 'payments', memoryCount: 2 }],
    },
    etag: true,
  },
  'PATCH /v1/topics/{id}': {
    id: 'topics.update',
    summary: 'Rename a topic, change its aliases, or hide it',
    description:
      'Names or hides a topic, or replaces its aliases. Memories that say a new alias become part of it; an alias that is left out becomes a separate topic. A name of another topic is answered with 409: merge them.',
    request: { name: 'Petra Novak', aliases: ['Petra', 'our team lead'] },
    answer: { ...TOPIC, aliases: ['Petra', 'our team lead'] },
    etag: true,
    errors: ['conflict', 'unprocessable'],
  },
  'POST /v1/topics/{id}/merge': {
    id: 'topics.merge',
    summary: 'Make other topics part of a topic',
    description: 'Makes other topics of the same user part of this one, with their names and memories.',
    request: { topicIds: [OTHER] },
    answer: { ...TOPIC, aliases: ['Petra', 'payments'], memoryCount: 6 },
    once: true,
    errors: ['unprocessable'],
  },
  'POST /v1/topics/{id}/split': {
    id: 'topics.split',
    summary: 'Make some names of a topic a topic of their own',
    description: 'Makes some names of a topic a topic of their own, with the memories that mention it by them.',
    request: { aliases: ['Petra'] },
    answer: { ...TOPIC, id: OTHER, name: 'Petra', aliases: [], memoryCount: 2 },
    once: true,
    errors: ['unprocessable'],
  },
});
