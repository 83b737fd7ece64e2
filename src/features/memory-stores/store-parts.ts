import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Adder, Memories } from '../memories/memories.ts';
import type { Suggestions } from '../suggestions/suggestions.ts';
import type { Cursors } from '../text/page-cursor.ts';
import type { Scopes } from '../text/scopes.ts';
import type { Users } from '../users/users.ts';

/** Who calls. */
export type StoreCaller = Principal & Adder;

export interface MemoryStoresParts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  scopes: Scopes;
  idempotency: Pick<Idempotency, 'replayOrRun'>;
  memories: Memories;
  suggestions: Pick<Suggestions, 'redactEarlier'>;
  users: Pick<Users, 'list' | 'get' | 'erase'>;
  /** Masks credentials in a text, if the daemon does. */
  mask(tenantId: string, text: string): Promise<string>;
}
