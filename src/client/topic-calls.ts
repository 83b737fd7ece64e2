import type { Topic, TopicChange, TopicDetails, TopicSplit, TopicsQuery } from '../contract/topics.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions, CreateOptions } from './call-options.ts';
import { resourceCalls } from './calls.ts';
import type { Transport } from './transport.ts';

/** Calls for what memories are about. */
export function topicCalls(transport: Transport) {
  const { send, create } = transport;
  const { list } = resourceCalls<Topic, never, TopicsQuery>(transport, '/v1/topics');
  const path = (id: string) => `/v1/topics/${encodeURIComponent(id)}`;
  return {
    list,
    /** A topic with what holds of it and what was before. */
    get: (id: string, options?: CallOptions): ApiPromise<TopicDetails> => send('GET', path(id), undefined, options),
    /** Renames or hides it, or replaces its aliases. */
    update: (id: string, change: TopicChange, options?: ChangeOptions): ApiPromise<Topic> =>
      send('PATCH', path(id), change, options),
    /** Makes other topics part of it. */
    merge: (id: string, topicIds: string[], options?: CreateOptions): ApiPromise<Topic> =>
      create(`${path(id)}/merge`, { topicIds }, options),
    /** Makes some of its names a topic of their own, which is returned. */
    split: (id: string, split: TopicSplit, options?: CreateOptions): ApiPromise<Topic> =>
      create(`${path(id)}/split`, split, options),
  };
}
