import type { Reader } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UserKey } from '../text/scopes.ts';
import type { LearnedState } from './learned-state.ts';

export type { UserKey } from '../text/scopes.ts';

/** Learned states, cached for searches. */
export interface LearnedCache {
  get(reader: Reader, user: UserKey): Promise<LearnedState>;
  /** Stores the state of a committed change. */
  set(user: UserKey, state: LearnedState): void;
  /** Drops one user, or all users of the tenant. */
  forget(tenantId: string, endUser?: string): void;
}

type Load = (reader: Reader, user: UserKey) => Promise<LearnedState>;

const MAX_CACHED = 2000;
/** Bounds how stale a state may be that an admin command changed. */
const TTL_MS = 30_000;

/** Reads every state: another daemon may have changed it. */
export function createLearnedReads(load: Load): LearnedCache {
  return { get: load, set() {}, forget() {} };
}

/** Caches what `load` reads for half a minute; changes made through this cache are visible at once. */
export function createLearnedCache(clock: Clock, load: Load): LearnedCache {
  const cache = new Map<string, { state: LearnedState; atMs: number }>();
  /** Counts changes, so that a state read before one is not cached after it. */
  let changes = 0;
  const keyOf = ({ tenantId, endUser }: UserKey) => `${tenantId} ${endUser}`;

  function store(user: UserKey, state: LearnedState): void {
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(keyOf(user), { state, atMs: clock.monotonicMs() });
  }

  return {
    async get(reader, user) {
      const cached = cache.get(keyOf(user));
      if (cached && clock.monotonicMs() - cached.atMs < TTL_MS) return cached.state;
      const before = changes;
      const state = await load(reader, user);
      if (changes === before) store(user, state);
      return state;
    },
    set(user, state) {
      changes += 1;
      store(user, state);
    },
    forget(tenantId, endUser) {
      changes += 1;
      if (endUser !== undefined) cache.delete(keyOf({ tenantId, endUser }));
      else for (const key of cache.keys()) if (key.startsWith(`${tenantId} `)) cache.delete(key);
    },
  };
}
