import type { ActivityEntry, ActivityQuery } from '../contract/activity.ts';
import type { ChangeEvent } from '../contract/events.ts';
import type { PagePromise } from './api-promise.ts';
import type { CallOptions } from './call-options.ts';
import { type EventsOptions, readEvents } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** Calls for what was asked of the account, and what changes in it. */
export function activityCalls(transport: Transport) {
  const { list } = transport;
  return {
    /** Yields what changes in the account, and connects again if the connection is lost. */
    events: (options?: EventsOptions): AsyncGenerator<ChangeEvent> => readEvents(transport, options),
    activity: {
      /** Lists requests with their clients and latencies, without content, newest first. */
      list: (query?: ActivityQuery, options?: CallOptions): PagePromise<ActivityEntry> =>
        list('/v1/activity', query, options),
    },
  };
}
