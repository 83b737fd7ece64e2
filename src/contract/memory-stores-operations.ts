import { tagged } from './operations.ts';

const STORE = {
  id: 'memstore_01a2016d8e3577f4b5d55323fe9aeaa9',
  type: 'memory_store',
  name: 'Team notes',
  description: 'How the team works.',
  metadata: { team: 'garden' },
  created_at: '2026-11-22T04:12:00.000Z',
  updated_at: '2026-11-22T04:12:00.000Z',
  archived_at: null,
};
const CONTENT = {
  content: 'Ada drinks oolong tea.',
  content_sha256: 'a9de695b577543b83a7670169854d1fcde39aa45ac8dbd43e6b365373351f71b',
  content_size_bytes: 22,
};
const FILE = {
  id: 'mem_01a2016d8e3577f4b5d55323fe9aeaaa',
  type: 'memory',
  memory_store_id: STORE.id,
  memory_version_id: 'memver_01a2016d8e3577f4b5d55323fe9aeaaa_1',
  path: '/people/ada.md',
  ...CONTENT,
  created_at: '2026-11-22T04:13:00.000Z',
  updated_at: '2026-11-22T04:13:00.000Z',
};
const VERSION = {
  id: FILE.memory_version_id,
  type: 'memory_version',
  memory_store_id: STORE.id,
  memory_id: FILE.id,
  operation: 'created',
  path: FILE.path,
  ...CONTENT,
  created_at: FILE.created_at,
  created_by: null,
  redacted_at: null,
  redacted_by: null,
};
const REDACTED = { path: null, content: null, content_sha256: null, content_size_bytes: null };
const WITHOUT_CONTENT = { content: null };

/** Memory stores as Anthropic's SDK speaks them. Their key may also be sent as `x-api-key`. */
export const MEMORY_STORE_OPERATIONS = tagged('memory stores', {
  'POST /v1/memory_stores': {
    id: 'memoryStores.create',
    summary: 'Create a memory store',
    description: 'Creates a memory store: a user of the account, named after the id of the store.',
    request: { name: STORE.name, description: STORE.description, metadata: STORE.metadata },
    answer: STORE,
    once: true,
    errors: ['conflict', 'quota_exceeded'],
  },
  'GET /v1/memory_stores': {
    id: 'memoryStores.list',
    summary: 'List memory stores',
    description: 'Lists memory stores page by page, the latest first. Every user of the account is one.',
    answer: { data: [STORE], next_page: null },
  },
  'GET /v1/memory_stores/{memory_store_id}': {
    id: 'memoryStores.retrieve',
    summary: 'Get a memory store',
    description: 'Returns a memory store.',
    answer: STORE,
  },
  'POST /v1/memory_stores/{memory_store_id}': {
    id: 'memoryStores.update',
    summary: 'Change a memory store',
    description: 'Changes the name, the description and single pairs of the metadata of a memory store.',
    request: { description: STORE.description, metadata: { team: null } },
    answer: { ...STORE, metadata: {} },
    errors: ['conflict', 'quota_exceeded'],
  },
  'DELETE /v1/memory_stores/{memory_store_id}': {
    id: 'memoryStores.delete',
    summary: 'Erase a memory store',
    description:
      'Erases a memory store that was created here with everything in it. The store of any other user is refused: see `DELETE /v1/users/{user}`.',
    answer: { id: STORE.id, type: 'memory_store_deleted' },
    errors: ['conflict'],
  },
  'POST /v1/memory_stores/{memory_store_id}/archive': {
    id: 'memoryStores.archive',
    summary: 'Archive a memory store',
    description: 'Makes a memory store read-only, for good.',
    answer: { ...STORE, archived_at: '2026-11-25T10:00:00.000Z' },
    errors: ['conflict', 'quota_exceeded'],
  },
  'POST /v1/memory_stores/{memory_store_id}/memories': {
    id: 'memoryStores.memories.create',
    summary: 'Create a memory at a path',
    description: 'Creates a memory at a path, where none is, none above it and none below it.',
    request: { path: FILE.path, content: FILE.content },
    answer: { ...FILE, ...WITHOUT_CONTENT },
    once: true,
    errors: ['conflict', 'quota_exceeded'],
  },
  'GET /v1/memory_stores/{memory_store_id}/memories': {
    id: 'memoryStores.memories.list',
    summary: 'List memories by path',
    description: 'Lists the memories of a store page by page, by path.',
    answer: { data: [{ ...FILE, ...WITHOUT_CONTENT }], next_page: null },
  },
  'GET /v1/memory_stores/{memory_store_id}/memories/{memory_id}': {
    id: 'memoryStores.memories.retrieve',
    summary: 'Get a memory of a store',
    description: 'Returns a memory of a store with its content.',
    answer: FILE,
  },
  'POST /v1/memory_stores/{memory_store_id}/memories/{memory_id}': {
    id: 'memoryStores.memories.update',
    summary: 'Change a memory of a store',
    description: 'Changes the content or the path of a memory, creating a new version.',
    request: {
      content: 'Ada drinks coffee.',
      precondition: { type: 'content_sha256', content_sha256: FILE.content_sha256 },
    },
    answer: { ...FILE, ...WITHOUT_CONTENT },
    errors: ['conflict', 'quota_exceeded'],
  },
  'DELETE /v1/memory_stores/{memory_store_id}/memories/{memory_id}': {
    id: 'memoryStores.memories.delete',
    summary: 'Remove a memory from a store',
    description:
      'Removes a memory from its store. Its versions stay, and searches of the past find it: to erase it, redact its versions or use `DELETE /v1/memories/{id}`.',
    answer: { id: FILE.id, type: 'memory_deleted' },
    errors: ['conflict'],
  },
  'GET /v1/memory_stores/{memory_store_id}/memory_versions': {
    id: 'memoryStores.memoryVersions.list',
    summary: 'List versions of memories',
    description: 'Lists the versions of the memories of a store page by page, the latest first.',
    answer: { data: [{ ...VERSION, ...WITHOUT_CONTENT }], next_page: null },
  },
  'GET /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}': {
    id: 'memoryStores.memoryVersions.retrieve',
    summary: 'Get a version of a memory',
    description: 'Returns a version of a memory with its content.',
    answer: VERSION,
  },
  'POST /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}/redact': {
    id: 'memoryStores.memoryVersions.redact',
    summary: 'Redact a version of a memory',
    description: 'Overwrites the content and the path of a version that is not the current one of a memory.',
    answer: { ...VERSION, ...REDACTED, redacted_at: '2026-11-25T10:00:00.000Z' },
    errors: ['conflict'],
  },
});
