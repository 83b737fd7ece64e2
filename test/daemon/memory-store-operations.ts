interface Ids {
  store: string;
  file: string;
  version: string;
}

const STORE = '/v1/memory_stores/{memory_store_id}';

/** Every route that takes the id of a memory store, of a memory in it, or of a version of one. Erasing comes last. */
export const MEMORY_STORE_OPERATIONS = {
  'it is read': { route: `get ${STORE}`, method: 'GET', path: () => '', body: undefined },
  'it is changed': { route: `post ${STORE}`, method: 'POST', path: () => '', body: { name: 'Ours' } },
  'a memory is created in it': {
    ...{ route: `post ${STORE}/memories`, method: 'POST', path: () => '/memories', body: { path: '/x', content: 'x' } },
  },
  'its memories are listed': {
    route: `get ${STORE}/memories`,
    method: 'GET',
    path: () => '/memories',
    body: undefined,
  },
  'a memory of it is read': {
    ...{ route: `get ${STORE}/memories/{memory_id}`, method: 'GET', body: undefined },
    path: ({ file }: Ids) => `/memories/${file}`,
  },
  'a memory of it is changed': {
    ...{ route: `post ${STORE}/memories/{memory_id}`, method: 'POST', body: { content: 'Mine now' } },
    path: ({ file }: Ids) => `/memories/${file}`,
  },
  'its versions are listed': {
    ...{ route: `get ${STORE}/memory_versions`, method: 'GET', path: () => '/memory_versions', body: undefined },
  },
  'a version is read': {
    ...{ route: `get ${STORE}/memory_versions/{memory_version_id}`, method: 'GET', body: undefined },
    path: ({ version }: Ids) => `/memory_versions/${version}`,
  },
  'a version is redacted': {
    ...{ route: `post ${STORE}/memory_versions/{memory_version_id}/redact`, method: 'POST', body: undefined },
    path: ({ version }: Ids) => `/memory_versions/${version}/redact`,
  },
  'a memory of it is removed': {
    ...{ route: `delete ${STORE}/memories/{memory_id}`, method: 'DELETE', body: undefined },
    path: ({ file }: Ids) => `/memories/${file}`,
  },
  'it is archived': { route: `post ${STORE}/archive`, method: 'POST', path: () => '/archive', body: undefined },
  'it is erased': { route: `delete ${STORE}`, method: 'DELETE', path: () => '', body: undefined },
} as const;
