import type { ProfileQuery, UserProfile } from '../../contract/profile.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import type { Principal } from '../keys/keys.ts';
import { listRecentConversations, listRecentEpisodes, listRecentMemories } from './profile-store.ts';
import { OPENING_CHARACTERS, profileText } from './profile-text.ts';

export { PROFILE_CONTENTS } from './profile-text.ts';

/** A digest of bounded length of what is known about a user. */
export interface Profile {
  /** Returns Markdown of at most `maxTokens` (`PROFILE_TOKENS`), deterministically and without a model. */
  digest(principal: Principal, user: string, maxTokens?: number): Promise<string>;
  /** Returns the digest with its size. */
  get(principal: Principal, query: ProfileQuery): Promise<UserProfile>;
}

export const PROFILE_TOKENS = 1500;

/** The number of memories in which tags are counted. */
const MEMORIES_READ = 500;
const TITLES = 5;

interface Parts {
  db: Database;
  clock: Clock;
  tokenCounterOf: (tenantId: string) => CountTokens;
}

/** Reads the newest items of each kind by index, so the cost does not grow with the account. */
export function createProfile({ db, clock, tokenCounterOf }: Parts): Profile {
  const profile: Profile = {
    async get(principal, { user = 'default' }) {
      const text = await profile.digest(principal, user);
      return { user, text, tokens: await tokenCounterOf(principal.tenantId)(text), maxTokens: PROFILE_TOKENS };
    },
    async digest({ tenantId }, user, maxTokens = PROFILE_TOKENS) {
      const place = { tenantId, endUser: user, nowMs: clock.nowMs() };
      const [found, conversations, episodes] = await Promise.all([
        listRecentMemories(db.readers.of(place.tenantId), place, OPENING_CHARACTERS, MEMORIES_READ + 1),
        listRecentConversations(db.readers.of(place.tenantId), place, TITLES),
        listRecentEpisodes(db.readers.of(place.tenantId), place, TITLES),
      ]);
      const memories = found.slice(0, MEMORIES_READ);
      const hasMore = found.length > MEMORIES_READ;
      return profileText({ user, memories, hasMore, conversations, episodes }, maxTokens, tokenCounterOf(tenantId));
    },
  };
  return profile;
}
