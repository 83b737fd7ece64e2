import type { CallOptions } from '../helpers/daemon.ts';

/** A memory of one tenant, by its id and by the caller's own. */
interface NamedMemory {
  id: string;
  externalId: string;
}

interface Operation {
  /** The route in the OpenAPI document, if its path contains an id. */
  route?: string;
  path(named: NamedMemory): string;
  options(named: NamedMemory): CallOptions;
  /** The statuses for another tenant and for the owner. */
  foreign: number;
  own: number;
}

const external = ({ externalId }: NamedMemory) => `/v1/memories/external/${externalId}`;

/** Every request that names a memory other than by its id in the path. */
export const MEMORY_OPERATIONS: Record<string, Operation> = {
  'reading it by external id': {
    route: 'get /v1/memories/external/{externalId}',
    path: external,
    options: () => ({}),
    foreign: 404,
    own: 200,
  },
  'storing under its external id': {
    route: 'put /v1/memories/external/{externalId}',
    path: external,
    options: ({ externalId }) => ({ method: 'PUT', body: { content: `Put under ${externalId}` } }),
    foreign: 201,
    own: 200,
  },
  'storing under its external id on a condition': {
    path: external,
    options: () => ({ method: 'PUT', body: { content: 'On a condition' }, headers: { 'if-match': '*' } }),
    foreign: 412,
    own: 200,
  },
  'adding with its external id': {
    path: () => '/v1/memories',
    options: ({ externalId }) => ({ body: { content: `Added as ${externalId}`, externalId } }),
    foreign: 201,
    own: 409,
  },
  'erasing it by external id': {
    route: 'delete /v1/memories/external/{externalId}',
    path: external,
    options: () => ({ method: 'DELETE' }),
    foreign: 404,
    own: 204,
  },
};
