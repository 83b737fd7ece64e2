import { ACCOUNT_OPERATIONS } from './account-operations.ts';
import { ACTIVITY_OPERATIONS } from './activity-operations.ts';
import { AUTH_OPERATIONS } from './auth-operations.ts';
import { CONNECTION_OPERATIONS } from './connections-operations.ts';
import { CONVERSATION_OPERATIONS } from './conversations-operations.ts';
import { EPISODE_OPERATIONS } from './episodes-operations.ts';
import { EVENT_OPERATIONS } from './events-operations.ts';
import { JOB_OPERATIONS } from './jobs-operations.ts';
import { MEMORY_OPERATIONS } from './memories-operations.ts';
import { MEMORY_STORE_OPERATIONS } from './memory-stores-operations.ts';
import type { Operations } from './operations.ts';
import { PORTABILITY_OPERATIONS } from './portability-operations.ts';
import { PROVIDER_OPERATIONS } from './providers-operations.ts';
import { SEARCH_OPERATIONS } from './search-operations.ts';
import { SPACE_OPERATIONS } from './spaces-operations.ts';
import { SUGGESTION_OPERATIONS } from './suggestions-operations.ts';
import { TOPIC_OPERATIONS } from './topics-operations.ts';
import { USER_OPERATIONS } from './users-operations.ts';
import { WEBHOOK_OPERATIONS } from './webhooks-operations.ts';

/** Every operation of the API. */
export const OPERATIONS: Operations = {
  ...MEMORY_OPERATIONS,
  ...MEMORY_STORE_OPERATIONS,
  ...SEARCH_OPERATIONS,
  ...SUGGESTION_OPERATIONS,
  ...TOPIC_OPERATIONS,
  ...CONVERSATION_OPERATIONS,
  ...EPISODE_OPERATIONS,
  ...USER_OPERATIONS,
  ...JOB_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...ACTIVITY_OPERATIONS,
  ...CONNECTION_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...SPACE_OPERATIONS,
  ...PORTABILITY_OPERATIONS,
  ...AUTH_OPERATIONS,
};
