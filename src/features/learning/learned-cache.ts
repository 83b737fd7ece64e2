import type { Clock } from '../../lib/clock.ts';
import type { LearnedState } from './learned-state.ts';

/** One end user of a tenant. */
export interface UserKey {
  tenantId: string;
  endUser: string;
}

/** What was learned, as searches ask for it. */
export interface LearnedCache {
  get(place: UserKey): Promise<LearnedState>;
  /** The state of a committed change. */
  set(place: UserKey, state: LearnedState): void;
  /** All users of the tenant, or one. */
  forget(tenantId: string, endUser?: string): void;
}

const MAX_KEPT = 2000;
/** Another process (an operator's command, say) may have changed it. */
const KEPT_MS = 30_000;

/** Keeps what `load` reads, for half a minute; what was changed here is seen at once. */
export function createLearnedCache(clock: Clock, load: (place: UserKey) => Promise<LearnedState>): LearnedCache {
  const kept = new Map<string, { state: LearnedState; atMs: number }>();
  /** Counts changes: what was read before one must not be kept after it. */
  let changes = 0;
  const keyOf = ({ tenantId, endUser }: UserKey) => `${tenantId} ${endUser}`;

  function keep(place: UserKey, state: LearnedState): void {
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(keyOf(place), { state, atMs: clock.monotonicMs() });
  }

  return {
    async get(place) {
      const known = kept.get(keyOf(place));
      if (known && clock.monotonicMs() - known.atMs < KEPT_MS) return known.state;
      const before = changes;
      const state = await load(place);
      if (changes === before) keep(place, state);
      return state;
    },
    set(place, state) {
      changes += 1;
      keep(place, state);
    },
    forget(tenantId, endUser) {
      changes += 1;
      if (endUser !== undefined) kept.delete(keyOf({ tenantId, endUser }));
      else for (const key of kept.keys()) if (key.startsWith(`${tenantId} `)) kept.delete(key);
    },
  };
}
