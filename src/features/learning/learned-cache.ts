import type { Reader } from '../../db/connection.ts';
import { createBoundedMap } from '../../lib/bounded-map.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UserKey } from '../text/scopes.ts';
import { createLearnedState, decodeLearnedState, type LearnedState } from './learned-state.ts';
import type { LearnedRow } from './learning-store.ts';

export type { UserKey } from '../text/scopes.ts';

/** What a user taught. */
export interface Learned {
  state: LearnedState;
  /** Whether words of questions are learned, and find what they were used for. */
  usesWords: boolean;
  /** Whether uses that nobody reported count. */
  infersUses: boolean;
}

/** Decodes what is stored of a user over these signals; a user without feedback taught nothing. */
export function learnedOf(row: LearnedRow | undefined, signals: readonly string[]): Learned {
  if (!row) return { state: createLearnedState(signals), usesWords: true, infersUses: true };
  return {
    state: decodeLearnedState(row.state, signals),
    usesWords: row.usesWords === 1,
    infersUses: row.infersUses === 1,
  };
}

/** What users taught, cached for searches. */
export interface LearnedCache {
  get(reader: Reader, user: UserKey): Promise<Learned>;
  /** Stores the result of a committed change. */
  set(user: UserKey, learned: Learned): void;
  /** Drops one user, or all users of the tenant. */
  forget(tenantId: string, endUser?: string): void;
}

type Load = (reader: Reader, user: UserKey) => Promise<Learned>;

const MAX_CACHED = 2000;
/** Bounds how stale an entry may be that an admin command changed. */
const TTL_MS = 30_000;

/** Reads every time: another daemon may have changed it. */
export function createLearnedReads(load: Load): LearnedCache {
  return { get: load, set() {}, forget() {} };
}

/** Caches what `load` reads for half a minute; changes made through this cache are visible at once. */
export function createLearnedCache(clock: Clock, load: Load): LearnedCache {
  const cache = createBoundedMap<string, { learned: Learned; atMs: number }>(MAX_CACHED);
  /** Counts changes, so that what was read before one is not cached after it. */
  let changes = 0;
  const keyOf = ({ tenantId, endUser }: UserKey) => `${tenantId} ${endUser}`;

  function store(user: UserKey, learned: Learned): void {
    cache.set(keyOf(user), { learned, atMs: clock.monotonicMs() });
  }

  return {
    async get(reader, user) {
      const cached = cache.get(keyOf(user));
      if (cached && clock.monotonicMs() - cached.atMs < TTL_MS) return cached.learned;
      const before = changes;
      const learned = await load(reader, user);
      if (changes === before) store(user, learned);
      return learned;
    },
    set(user, learned) {
      changes += 1;
      store(user, learned);
    },
    forget(tenantId, endUser) {
      changes += 1;
      if (endUser !== undefined) cache.delete(keyOf({ tenantId, endUser }));
      else cache.deleteWhere((key) => key.startsWith(`${tenantId} `));
    },
  };
}
