import type { Job, JobsQuery } from '../contract/jobs.ts';
import { resourceCalls, type Transport } from './calls.ts';

/** Calls for jobs; `conversations.extract` creates them. */
export function jobCalls(transport: Transport) {
  const { list, all, get, read, remove } = resourceCalls<Job, never, JobsQuery>(transport, '/v1/jobs');
  return {
    list,
    all,
    get,
    read,
    /** Cancels an open job; removes a finished one from the list. */
    remove,
  };
}
