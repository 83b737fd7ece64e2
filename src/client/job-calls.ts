import type { Job, JobsQuery } from '../contract/jobs.ts';
import { resourceCalls, type Transport } from './calls.ts';

/** The calls about jobs; `conversations.extract` makes them. */
export function jobCalls(transport: Transport) {
  const { list, all, get, remove } = resourceCalls<Job, never, JobsQuery>(transport, '/v1/jobs');
  return {
    list,
    all,
    get,
    /** Ends one that is open; takes one that has ended off the list. */
    remove: (id: string) => remove(id),
  };
}
