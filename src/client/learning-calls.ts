import type { Feedback, FeedbackResult, Retrieval } from '../contract/learning.ts';
import type { createTransport } from './transport.ts';

/** Calls for retrieval learning. */
export function learningCalls(send: ReturnType<typeof createTransport>['send']) {
  const path = (user?: string) => `/v1/retrieval${user === undefined ? '' : `?user=${encodeURIComponent(user)}`}`;
  return {
    /** Reports which results of a search helped. */
    feedback: (searchId: string, feedback: Feedback) =>
      send<FeedbackResult>('POST', `/v1/searches/${encodeURIComponent(searchId)}/feedback`, feedback),
    retrieval: {
      show: (user?: string) => send<Retrieval>('GET', path(user)),
      reset: (user?: string) => send<void>('DELETE', path(user)),
    },
  };
}
