import { isOpen } from '../contract/job-states.ts';
import type { Job, JobsQuery } from '../contract/jobs.ts';
import { type CallOptions, LONGEST_TIMER_MS } from './call-options.ts';
import { resourceCalls } from './calls.ts';
import type { Transport } from './transport.ts';

export interface WaitOptions extends Omit<CallOptions, 'timeoutMs'> {
  /** Pause between two looks at the job, 1 s by default. */
  intervalMs?: number;
  /** Longest wait, unlimited by default. The job continues afterwards. */
  timeoutMs?: number;
}

/** Calls for jobs; `conversations.extract` creates them. */
export function jobCalls(transport: Transport) {
  const { list, get, delete: remove } = resourceCalls<Job, never, JobsQuery>(transport, '/v1/jobs');
  return {
    list,
    get,
    /** Cancels an open job; removes a finished one from the list. */
    delete: remove,
    /** Waits until the job has ended and returns it. Throws a `TimeoutError` if that takes longer than `timeoutMs`. */
    async wait(id: string, { intervalMs = 1000, timeoutMs, ...options }: WaitOptions = {}): Promise<Job> {
      const deadline = new AbortController();
      const overdue = () => deadline.abort(new DOMException(`Job ${id} has not ended yet.`, 'TimeoutError'));
      const timer = timeoutMs === undefined ? undefined : setTimeout(overdue, Math.min(timeoutMs, LONGEST_TIMER_MS));
      const signal = options.signal ? AbortSignal.any([options.signal, deadline.signal]) : deadline.signal;
      try {
        for (;;) {
          const job = await get(id, { ...options, signal });
          if (!isOpen(job)) return job;
          await transport.sleep(intervalMs, signal);
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
