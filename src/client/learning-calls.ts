import type { Feedback, FeedbackResult, Retrieval, RetrievalQuery } from '../contract/learning.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions } from './call-options.ts';
import { queryString, type Transport } from './transport.ts';

/** Calls for retrieval learning. */
export function learningCalls({ send }: Transport) {
  const path = (query: RetrievalQuery) => `/v1/retrieval${queryString(query)}`;
  return {
    /** Reports which results of a search helped. */
    feedback: (searchId: string, feedback: Feedback, options?: CallOptions): ApiPromise<FeedbackResult> =>
      send('POST', `/v1/searches/${encodeURIComponent(searchId)}/feedback`, feedback, options),
    retrieval: {
      /** Returns what the ranking has learned from a user. */
      get: (query: RetrievalQuery = {}, options?: CallOptions): ApiPromise<Retrieval> =>
        send('GET', path(query), undefined, options),
      /** Forgets what the ranking has learned from a user, or from all of them. */
      delete: (query: RetrievalQuery = {}, options?: CallOptions): ApiPromise<void> =>
        send('DELETE', path(query), undefined, options),
    },
  };
}
