import type {
  LearnedWord,
  LearnedWordsQuery,
  LearnedWordsSelection,
  RetrievalChange,
} from '../contract/learned-words.ts';
import type { Feedback, FeedbackResult, Retrieval, RetrievalQuery, RetrievalReset } from '../contract/learning.ts';
import type { StoredSearch, StoredSearchesQuery } from '../contract/searches.ts';
import type { StoredLanguages } from '../contract/stored-languages.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions } from './call-options.ts';
import { queryString, type Transport } from './transport.ts';

/** Calls for retrieval learning. */
export function learningCalls({ send, list }: Transport) {
  const path = (query: RetrievalQuery | RetrievalReset) => `/v1/retrieval${queryString(query)}`;
  return {
    /** Reports which results of a search helped. */
    feedback: (searchId: string, feedback: Feedback, options?: CallOptions): ApiPromise<FeedbackResult> =>
      send('POST', `/v1/searches/${encodeURIComponent(searchId)}/feedback`, feedback, options),
    searches: {
      /** Lists the searches and contexts of the last 24 hours, newest first. */
      list: (query?: StoredSearchesQuery, options?: CallOptions): PagePromise<StoredSearch> =>
        list('/v1/searches', query, options),
      get: (searchId: string, options?: CallOptions): ApiPromise<StoredSearch> =>
        send('GET', `/v1/searches/${encodeURIComponent(searchId)}`, undefined, options),
    },
    retrieval: {
      /** Returns what the ranking has learned from a user. */
      get: (query: RetrievalQuery = {}, options?: CallOptions): ApiPromise<Retrieval> =>
        send('GET', path(query), undefined, options),
      /** Forgets what the ranking has learned from a user, or from all of them. */
      delete: (query: RetrievalReset = {}, options?: ChangeOptions): ApiPromise<void> =>
        send('DELETE', path(query), undefined, options),
      /** Switches the learning of words on or off for a user. */
      change: (change: RetrievalChange, options?: ChangeOptions): ApiPromise<Retrieval> =>
        send('PATCH', '/v1/retrieval', change, options),
      /** Returns the languages of what is stored, and whether searches by meaning know them. */
      languages: (options?: CallOptions): ApiPromise<StoredLanguages> =>
        send('GET', '/v1/retrieval/languages', undefined, options),
      words: {
        /** Lists the words that lead a user to items, the last used first. */
        list: (query?: LearnedWordsQuery, options?: CallOptions): PagePromise<LearnedWord> =>
          list('/v1/retrieval/words', query, options),
        /** Forgets the words of a user that are selected; all without `word` and `itemId`. */
        delete: (selection: LearnedWordsSelection = {}, options?: CallOptions): ApiPromise<void> =>
          send('DELETE', `/v1/retrieval/words${queryString(selection)}`, undefined, options),
      },
    },
  };
}
