import type { JobAccepted, NewTidy } from '../contract/jobs.ts';
import type { Remembered, RememberRequest } from '../contract/remember.ts';
import type { ContextAnswer, ContextRequest, SearchAnswer, SearchRequest } from '../contract/search.ts';
import { accountCalls } from './account-calls.ts';
import { activityCalls } from './activity-calls.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, ClientOptions, CreateOptions } from './call-options.ts';
import { connectionCalls } from './connection-calls.ts';
import { conversationCalls } from './conversation-calls.ts';
import { episodeCalls } from './episode-calls.ts';
import { jobCalls } from './job-calls.ts';
import { learningCalls } from './learning-calls.ts';
import { memoryCalls } from './memory-calls.ts';
import { portabilityCalls } from './portability-calls.ts';
import { providerCalls } from './provider-calls.ts';
import { spaceCalls } from './space-calls.ts';
import { suggestionCalls } from './suggestion-calls.ts';
import { topicCalls } from './topic-calls.ts';
import { createTransport } from './transport.ts';
import { userCalls } from './user-calls.ts';
import { webhookCalls } from './webhook-calls.ts';

export type * from '../contract/account.ts';
export type * from '../contract/activity.ts';
export type * from '../contract/auth.ts';
export type * from '../contract/connections.ts';
export type * from '../contract/conversations.ts';
export type * from '../contract/devices.ts';
export type * from '../contract/episodes.ts';
export type { ErrorCode, FieldError } from '../contract/errors.ts';
export type * from '../contract/events.ts';
export type * from '../contract/jobs.ts';
export type * from '../contract/learned-words.ts';
export type * from '../contract/learning.ts';
export type { QuotaState, StorageState, Tier } from '../contract/limits.ts';
export type * from '../contract/memories.ts';
export type * from '../contract/memories-bulk.ts';
export type * from '../contract/memories-stats.ts';
export type * from '../contract/message-content.ts';
export type * from '../contract/neighbors.ts';
export type * from '../contract/portability.ts';
export type * from '../contract/problem.ts';
export type * from '../contract/profile.ts';
export type * from '../contract/provider-settings.ts';
export type * from '../contract/providers.ts';
export type * from '../contract/remember.ts';
export type * from '../contract/search.ts';
export type * from '../contract/searches.ts';
export type * from '../contract/spaces.ts';
export type * from '../contract/stored-languages.ts';
export type * from '../contract/suggestion-names.ts';
export type * from '../contract/suggestion-settings.ts';
export type * from '../contract/suggestions.ts';
export type * from '../contract/topic-sorts.ts';
export type * from '../contract/topics.ts';
export type * from '../contract/users.ts';
export type * from '../contract/webhooks.ts';
export type { ApiPromise, Page, PagePromise } from './api-promise.ts';
export type { CallOptions, ChangeOptions, ClientOptions, CreateOptions, DecideOptions } from './call-options.ts';
export { ApiError, UnreachableError } from './errors.ts';
export type { EventsOptions } from './event-stream.ts';
export type { ExportLine } from './export-stream.ts';
export type { Fetch, FetchRequest, FetchResponse, ResponseHeaders } from './fetch.ts';
export type { WaitOptions } from './job-calls.ts';
export type { ImportOptions, ImportSource } from './portability-calls.ts';
export type { ResponseInfo, WithResponse } from './response.ts';

/**
 * Creates a typed client for svc's API. Calls throw `ApiError`, with the code of the problem document, if the daemon
 * rejects the request and `UnreachableError` if there is no daemon. Calls that are safe to repeat are retried with
 * backoff after 429, 503 and connection failures, honoring `Retry-After`; creating calls use an idempotency key.
 */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options);
  const ownTransport = createTransport({ ...options, space: undefined });
  const { create, send } = transport;
  return {
    ...accountCalls(transport, ownTransport),
    ...connectionCalls(ownTransport),
    spaces: spaceCalls(ownTransport),
    memories: memoryCalls(transport),
    conversations: conversationCalls(transport),
    episodes: episodeCalls(transport),
    users: userCalls(transport),
    /** Stores messages in a conversation or a new one, and extracts memories if the account has switched that on. */
    remember: (request: RememberRequest, callOptions?: CreateOptions): ApiPromise<Remembered> =>
      create('/v1/remember', request, callOptions),
    /** Finds memories, messages and episodes. */
    search: (request: SearchRequest, callOptions?: CallOptions): ApiPromise<SearchAnswer> =>
      send('POST', '/v1/search', request, callOptions),
    /** Returns what is relevant as text to paste into a prompt. */
    context: (request: ContextRequest, callOptions?: CallOptions): ApiPromise<ContextAnswer> =>
      send('POST', '/v1/context', request, callOptions),
    ...learningCalls(transport),
    ...providerCalls(transport),
    ...webhookCalls(transport),
    suggestions: suggestionCalls(transport),
    topics: topicCalls(transport),
    /** Queues a job in which the account's own model suggests how to tidy memories; `jobs.wait` returns the outcome. */
    tidy: (request: NewTidy = {}, callOptions?: CreateOptions): ApiPromise<JobAccepted> =>
      create('/v1/tidy', request, callOptions),
    jobs: jobCalls(transport),
    ...activityCalls(transport),
    ...portabilityCalls(transport),
  };
}

export type Client = ReturnType<typeof createClient>;
