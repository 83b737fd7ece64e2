import type { CallOptions } from '../helpers/daemon.ts';

/** A tenant's resources that another tenant may name: a provider key, a job, a conversation. */
export interface Owned {
  provider: string;
  job: string;
  conversation: string;
}

interface Operation {
  /** The route in the OpenAPI document. */
  route?: string;
  path(owned: Owned): string;
  options: CallOptions;
  succeeds: number;
}

const key = ({ provider }: Owned) => `/v1/provider-keys/${provider}`;
const job = ({ job: id }: Owned) => `/v1/jobs/${id}`;
const extract = ({ conversation }: Owned) => `/v1/conversations/${conversation}/extract`;
const erase = { method: 'DELETE' };

/** Every request that names a key or a job, or extracts memories. */
export const PROVIDER_OPERATIONS: Record<string, Operation> = {
  'reading a key': { route: 'get /v1/provider-keys/{provider}', path: key, options: {}, succeeds: 200 },
  'checking a key': {
    route: 'post /v1/provider-keys/{provider}/validate',
    path: (owned) => `${key(owned)}/validate`,
    options: { method: 'POST' },
    succeeds: 200,
  },
  'reading a job': { route: 'get /v1/jobs/{id}', path: job, options: {}, succeeds: 200 },
  'extracting memories': {
    route: 'post /v1/conversations/{id}/extract',
    path: extract,
    options: { method: 'POST' },
    succeeds: 202,
  },
  'extracting memories with an idempotency key': {
    path: extract,
    options: { body: {}, headers: { 'idempotency-key': 'draw' } },
    succeeds: 202,
  },
  'cancelling a job': { route: 'delete /v1/jobs/{id}', path: job, options: erase, succeeds: 204 },
  'removing a key': { route: 'delete /v1/provider-keys/{provider}', path: key, options: erase, succeeds: 204 },
};

/** Routes that name a resource of the caller's own, which may not exist yet. */
export const CREATING_ROUTES = ['put /v1/provider-keys/{provider}'];
