import type { ActivityEntry, ActivityQuery, ActivityStats, ActivityStatsQuery } from '../contract/activity.ts';
import type { ChangeEvent } from '../contract/events.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions } from './call-options.ts';
import { type EventsOptions, readEvents } from './event-stream.ts';
import { queryString, type Transport } from './transport.ts';

/** Calls for what was asked of the account, and what changes in it. */
export function activityCalls(transport: Transport) {
  const { list, send } = transport;
  return {
    /** Yields what changes in the account, and connects again if the connection is lost. */
    events: (options?: EventsOptions): AsyncGenerator<ChangeEvent> => readEvents(transport, options),
    activity: {
      /** Lists requests with their clients and latencies, without content, newest first. */
      list: (query?: ActivityQuery, options?: CallOptions): PagePromise<ActivityEntry> =>
        list('/v1/activity', query, options),
      /** Returns latencies by day and clients, of the last 30 days. */
      stats: (query: ActivityStatsQuery = {}, options?: CallOptions): ApiPromise<ActivityStats> =>
        send('GET', `/v1/activity/stats${queryString(query)}`, undefined, options),
    },
  };
}
