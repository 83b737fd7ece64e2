import { type QueryParameter, tagged } from './operations.ts';

export const EXAMPLE_MEMORY = {
  id: 'mem_01a2016d8d347075853487a30ea29a42',
  content: 'Ada prefers oolong tea, never coffee after four',
  user: 'ada',
  project: null,
  externalId: null,
  tags: ['taste'],
  metadata: { source: 'breakfast' },
  source: null,
  client: 'claude-code',
  author: null,
  origin: 'assistant',
  occurredAt: null,
  expiresAt: null,
  pinned: false,
  saidAt: null,
  validFrom: '2026-11-22T04:04:46.511Z',
  validTo: null,
  supersededBy: null,
  version: 1,
  createdAt: '2026-11-22T04:04:46.511Z',
  updatedAt: '2026-11-22T04:04:46.511Z',
};

const NEW_MEMORY = {
  content: 'Ada prefers oolong tea, never coffee after four',
  user: 'ada',
  tags: ['taste'],
  metadata: { source: 'breakfast' },
};

const CHANGED_MEMORY = {
  ...EXAMPLE_MEMORY,
  tags: ['taste', 'evening'],
  version: 2,
  updatedAt: '2026-11-22T05:10:00.000Z',
};

const EXTERNAL_MEMORY = { ...EXAMPLE_MEMORY, externalId: 'crm-1815' };

const METADATA_PARAMETER: QueryParameter = {
  name: 'metadata',
  in: 'query',
  description: 'Top-level members of the metadata, compared as text: `metadata.source=breakfast`.',
  style: 'form',
  explode: true,
  schema: {
    type: 'object',
    propertyNames: { pattern: '^metadata\\..' },
    additionalProperties: { type: 'string', maxLength: 16_384 },
  },
  example: { 'metadata.source': 'breakfast' },
};

export const MEMORY_OPERATIONS = tagged('memories', {
  'POST /v1/memories': {
    id: 'memories.create',
    summary: 'Add a memory',
    description:
      'Answers 201 with the new memory, or 200 with the existing one and `duplicate: true` if the user already has a memory with this content, ignoring case and white space. The existing one gets the tags and metadata members that it lacks. `supersedes` closes an older memory and keeps it for searches of the past. With `related`, the answer lists what is stored about the same; what the new memory replaces is closed by the same request with `supersedes`.',
    request: NEW_MEMORY,
    answer: EXAMPLE_MEMORY,
    etag: true,
    once: true,
    location: true,
    errors: ['not_found', 'quota_exceeded'],
  },
  'POST /v1/memories/batch': {
    id: 'memories.createMany',
    summary: 'Add up to 500 memories, all or none',
    description: 'Adds all memories or, if one is refused, none. Answers them in the order sent.',
    request: { memories: [NEW_MEMORY] },
    answer: { data: [EXAMPLE_MEMORY] },
    once: true,
    errors: ['not_found', 'quota_exceeded'],
  },
  'GET /v1/memories': {
    id: 'memories.list',
    summary: 'List memories',
    parameters: [METADATA_PARAMETER],
    description:
      'Lists the memories of all users, or of one, page by page, newest first unless `orderBy` and `order` say otherwise. All conditions must hold: `tags` may be repeated, and `metadata.KEY=VALUE` compares a top-level member as text. Superseded memories are left out by default.',
    answer: { data: [EXAMPLE_MEMORY], nextCursor: null },
  },
  'GET /v1/memories/stats': {
    id: 'memories.stats',
    summary: 'Count memories by user, tag, project, source, client, state and day',
    parameters: [METADATA_PARAMETER],
    description:
      'Counts the memories that the list would return with the same filter: by user, tag, project, source, client and state, and by day. A facet has the 50 most frequent values. One count of an account runs at a time.',
    answer: {
      total: 214,
      facets: {
        users: [{ value: 'ada', count: 214 }],
        tags: [{ value: 'taste', count: 31 }],
        projects: [{ value: 'svc', count: 12 }],
        sources: [
          { value: 'none', count: 180 },
          { value: 'message', count: 34 },
        ],
        clients: [{ value: 'claude-code', count: 200 }],
        states: { current: 214, superseded: 9, pinned: 3, expiring: 2, expiringSoon: 1 },
      },
      histogram: { by: 'createdAt', unit: 'day', days: [{ day: '2026-11-22', count: 214 }] },
    },
  },
  'GET /v1/memories/{id}': {
    id: 'memories.get',
    summary: 'Get a memory',
    description: 'Returns the current version of a memory, superseded or not.',
    answer: EXAMPLE_MEMORY,
    etag: true,
  },
  'PATCH /v1/memories/{id}': {
    id: 'memories.update',
    summary: 'Change a memory, creating a new version',
    description:
      'Changes the given fields and keeps the previous version. `tags` and `metadata` replace the whole value; `addTags`, `removeTags` and `metadataPatch` (RFC 7396) change a part of it. `null` clears `occurredAt`, `expiresAt`, `project` and `externalId`. `validTo`, sent alone, marks a memory as outdated that nothing replaces, and `null` undoes that; it creates no version. A superseded memory cannot be changed otherwise.',
    request: { addTags: ['evening'] },
    answer: CHANGED_MEMORY,
    etag: true,
    errors: ['conflict', 'quota_exceeded'],
  },
  'DELETE /v1/memories/{id}': {
    id: 'memories.delete',
    summary: 'Erase a memory with its history',
    description: 'Erases the memory with all its versions. This cannot be undone.',
    etag: true,
  },
  'GET /v1/memories/{id}/history': {
    id: 'memories.history',
    summary: 'List all versions of a memory',
    description: 'Lists every version of a memory page by page, newest first.',
    answer: { data: [CHANGED_MEMORY, EXAMPLE_MEMORY], nextCursor: null },
  },
  'GET /v1/memories/{id}/neighbors': {
    id: 'memories.neighbors',
    summary: 'List the memories that are related to one',
    description:
      'Lists the memories of the same user that are related to one: the chain of those that superseded it and that it superseded, those from the same message, conversation or episode, and similar ones. These are the nearest by vector where the memory has one, else those that a search for its text finds. Does not count as a query.',
    answer: {
      data: [
        { relation: 'supersedes', memory: { ...EXAMPLE_MEMORY, content: 'Ada prefers green tea' } },
        { relation: 'similar', similarity: 0.83, memory: { ...EXAMPLE_MEMORY, content: 'Ada buys her tea in Graz' } },
      ],
    },
  },
  'GET /v1/memories/{id}/use': {
    id: 'memories.use',
    summary: 'Count the searches that showed a memory, and its uses',
    description:
      'Returns how many searches and contexts showed the memory, and how many of them it was used in: feedback named it, or it was read or changed soon after. Searches are counted from within a second of their answer.',
    answer: { shown: 14, used: 5 },
  },
  'GET /v1/memories/uses': {
    id: 'memories.uses',
    summary: 'Count the searches that showed several memories, and their uses',
    description:
      'Returns the same counts for up to 200 memories. One that no search has shown, or that does not exist, is left out.',
    answer: { data: [{ id: EXAMPLE_MEMORY.id, shown: 14, used: 5 }] },
  },
  'POST /v1/memories/query': {
    id: 'memories.query',
    summary: 'Get memories by ids or list them by a filter',
    scope: 'memory:read',
    description:
      'With `ids`, answers those memories in the order given, page by page, and names unknown ids in `notFound`. With `filter`, answers like the list of memories, whose conditions it takes.',
    request: { ids: [EXAMPLE_MEMORY.id] },
    answer: { data: [EXAMPLE_MEMORY], nextCursor: null, notFound: [] },
  },
  'POST /v1/memories/update': {
    id: 'memories.updateMany',
    summary: 'Change up to 10,000 memories',
    description:
      'Applies one change to the memories with these `ids`, or to those that match `filter`, in small transactions. A memory that cannot be changed is named in `failed` and stops no other. A filter that matches more than 10,000 memories is 422.',
    request: { filter: { tags: ['taste'] }, change: { addTags: ['preference'] } },
    answer: { matched: 12, updated: 12, failed: [], dryRun: false },
    once: true,
    errors: ['unprocessable', 'quota_exceeded'],
  },
  'POST /v1/memories/delete': {
    id: 'memories.deleteMany',
    summary: 'Erase up to 10,000 memories with their history',
    description:
      'Erases the memories with these `ids`, or those that match `filter`, with all their versions. This cannot be undone: `dryRun` counts them first. A filter that matches more than 10,000 memories is 422.',
    request: { filter: { project: 'svc', projectOnly: true }, dryRun: true },
    answer: { matched: 12, deleted: 0, failed: [], dryRun: true },
    once: true,
    errors: ['unprocessable'],
  },
  'PUT /v1/memories/external/{externalId}': {
    id: 'memories.external.put',
    summary: 'Add the memory with an external id, or replace it',
    description:
      'Adds the memory (201), or replaces the one with this external id (200): fields that are absent from the body go back to their defaults. A memory of the user with the same content and no external id is replaced too.',
    request: NEW_MEMORY,
    answer: EXTERNAL_MEMORY,
    etag: true,
    headers: ['Location'],
    errors: ['conflict', 'quota_exceeded'],
  },
  'GET /v1/memories/external/{externalId}': {
    id: 'memories.external.get',
    summary: 'Get a memory by its external id',
    description: 'Returns the valid memory of the user that has this external id.',
    answer: EXTERNAL_MEMORY,
    etag: true,
  },
  'DELETE /v1/memories/external/{externalId}': {
    id: 'memories.external.delete',
    summary: 'Erase a memory by its external id',
    description: 'Erases the memory with all its versions. This cannot be undone.',
    etag: true,
  },
});
