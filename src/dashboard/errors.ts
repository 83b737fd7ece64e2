import { ApiError, UnreachableError } from '../client/client.ts';
import { parseTimestamp } from '../lib/clock.ts';
import { formatCount, formatUpcoming } from './format.ts';

/** Whether the daemon failed to answer, so that the same request may succeed soon. */
export function isTransient(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 500 && error.status !== 507;
}

/** Describes an error and what to do next, in one or two sentences. */
export function describeError(error: unknown): string {
  if (error instanceof UnreachableError) return 'svc does not respond. Check that the daemon runs, then try again.';
  if (!(error instanceof ApiError)) return 'Something went wrong. Reload the page and try again.';
  if (error.code === 'quota_exceeded') {
    const resetsAtMs = typeof error.problem.resetsAt === 'string' ? parseTimestamp(error.problem.resetsAt) : undefined;
    return resetsAtMs === undefined ? error.detail : `Quota used up. It resets ${formatUpcoming(resetsAtMs)}.`;
  }
  if (error.status === 429) {
    return `Too many requests. Try again in ${formatCount(error.retryAfterSeconds ?? 60, 'second', 'seconds')}.`;
  }
  return error.detail;
}

/** Logs an error that is a fault of the app, and not an answer of the daemon, to the browser's console. */
export function reportUnexpected(error: unknown): void {
  if (!(error instanceof UnreachableError) && !(error instanceof ApiError)) console.error(error);
}
