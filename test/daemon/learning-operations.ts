import type { CallOptions } from '../helpers/daemon.ts';

/** A tenant's search and one of its results. */
export interface Searched {
  search: string;
  result: string;
}

interface Operation {
  /** The route in the OpenAPI document. */
  route?: string;
  path(searched: Searched): string;
  options(searched: Searched): CallOptions;
  succeeds: number;
}

const read = ({ search }: Searched) => `/v1/searches/${search}`;
const path = ({ search }: Searched) => `/v1/searches/${search}/feedback`;

/** Every request that names a search. */
export const LEARNING_OPERATIONS: Record<string, Operation> = {
  'reading it': { route: 'get /v1/searches/{searchId}', path: read, options: () => ({}), succeeds: 200 },
  'praising a result': {
    route: 'post /v1/searches/{searchId}/feedback',
    path,
    options: ({ result }) => ({ body: { used: [result] } }),
    succeeds: 202,
  },
  'blaming a result': { path, options: ({ result }) => ({ body: { irrelevant: [result] } }), succeeds: 202 },
  'giving empty feedback': { path, options: () => ({ body: { used: [] } }), succeeds: 202 },
};
