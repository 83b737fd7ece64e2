import { ACTIVITY } from './twin-activity.ts';
import { CHANGES } from './twin-changes.ts';
import { CREDENTIALS } from './twin-credentials.ts';
import { DELETED_MEMORIES } from './twin-deleted-memories.ts';
import { JOBS } from './twin-jobs.ts';
import { MEMORY_STORES } from './twin-memory-stores.ts';
import { OAUTH } from './twin-oauth.ts';
import { REQUESTS } from './twin-requests.ts';
import { STORED_SEARCHES } from './twin-searches.ts';
import { SPACES } from './twin-spaces.ts';
import { STATEMENTS } from './twin-statements.ts';
import { SUGGESTIONS } from './twin-suggestions.ts';
import { TIDY } from './twin-tidy.ts';
import { TOPICS } from './twin-topics.ts';
import { USERS } from './twin-users.ts';
import { VECTORS } from './twin-vectors.ts';
import { WEBHOOKS } from './twin-webhooks.ts';
import type { Scenario } from './twin-world.ts';

/** Everything that twins do, by name. */
export const SCENARIOS: Record<string, Scenario> = {
  ...REQUESTS,
  ...USERS,
  'run the statements of jobs, activity and OAuth': inTurn({ ...JOBS, ...ACTIVITY, ...OAUTH }),
  'run the statements of credentials and stored searches': inTurn({ ...CREDENTIALS, ...STORED_SEARCHES }),
  'run the statements of changes, suggestions and tidying': inTurn({ ...CHANGES, ...SUGGESTIONS, ...TIDY }),
  'run the statements of topics': inTurn(TOPICS),
  'run the statements of other stores': inTurn(STATEMENTS),
  ...DELETED_MEMORIES,
  ...MEMORY_STORES,
  ...WEBHOOKS,
  'use a space': inTurn(SPACES),
  'embed and find': inTurn(VECTORS),
};

function inTurn(scenarios: Record<string, Scenario>): Scenario {
  return async (twin) => {
    for (const scenario of Object.values(scenarios)) await scenario(twin);
  };
}
