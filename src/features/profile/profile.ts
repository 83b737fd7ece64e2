import { oneLine, withoutTags } from '../../contract/fence.ts';
import type { ProfileQuery, UserProfile } from '../../contract/profile.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { CountTokens } from '../../outside/tokens.ts';
import type { Principal } from '../keys/keys.ts';
import type { Topics } from '../topics/topics.ts';
import {
  countMemories,
  findValidMemories,
  listRecentConversations,
  listRecentEpisodes,
  listRecentMemories,
  listReplaced,
  type ProfileQuery as ProfileOf,
} from './profile-store.ts';
import { NEWEST, OPENING_CHARACTERS, PINNED, type ProfileTopic, profileText, TOPICS } from './profile-text.ts';

export { PROFILE_CONTENTS } from './profile-text.ts';

/** A digest of bounded length of what is known about a user. */
export interface Profile {
  /** Returns Markdown of at most `maxTokens` (`PROFILE_TOKENS`), deterministically and without a model. */
  digest(principal: Principal, user: string, maxTokens?: number): Promise<string>;
  /** Returns the digest with its size. */
  get(principal: Principal, query: UserQuery): Promise<UserProfile>;
  /** Joins the digests of several spaces under their names; each gets its share of the tokens. */
  ofSeveral(members: readonly Principal[], query: UserQuery): Promise<UserProfile>;
}

type UserQuery = Omit<ProfileQuery, 'spaces'>;

export const PROFILE_TOKENS = 1500;

/** Tokens of the line that names a space. */
const HEADING = 24;
/** Memories that are counted. */
const COUNTED = 500;
/** Memories of a topic, some of which other sections show or which are superseded. */
const OF_TOPIC = 12;
const TITLES = 5;

interface Parts {
  db: Database;
  clock: Clock;
  tokenCounterOf: (tenantId: string) => CountTokens;
  topics: Pick<Topics, 'digest'>;
}

/** Reads the newest items of each kind by index, so the cost does not grow with the account. */
export function createProfile({ db, clock, tokenCounterOf, topics }: Parts): Profile {
  async function topicsOf(reader: Reader, place: ProfileOf): Promise<ProfileTopic[]> {
    const most = await topics.digest(reader, place, { topics: 2 * TOPICS, memories: OF_TOPIC });
    const ids = [...new Set(most.flatMap(({ memoryIds }) => memoryIds))];
    const found = await findValidMemories(reader, place, ids, OPENING_CHARACTERS);
    const byId = new Map(found.map((memory) => [memory.id, memory]));
    return most.map(({ memoryIds, ...topic }) => ({
      ...topic,
      memories: memoryIds.flatMap((id) => byId.get(id) ?? []),
    }));
  }

  const profile: Profile = {
    async get(principal, { user = 'default' }) {
      const text = await profile.digest(principal, user);
      return { user, text, tokens: await tokenCounterOf(principal.tenantId)(text), maxTokens: PROFILE_TOKENS };
    },
    async ofSeveral(members, { user = 'default' }) {
      const share = Math.floor(PROFILE_TOKENS / members.length) - HEADING;
      const digests = await Promise.all(
        members.map(async (member) => {
          const text = await profile.digest(member, user, share);
          if (!member.space) return text;
          return `# Shared space ${JSON.stringify(withoutTags(oneLine(member.space.name)))}\n\n${text}`;
        }),
      );
      const text = digests.join('\n\n');
      const tokens = await tokenCounterOf(members[0]!.tenantId)(text);
      return { user, text, tokens, maxTokens: PROFILE_TOKENS };
    },
    async digest({ tenantId }, user, maxTokens = PROFILE_TOKENS) {
      const place = { tenantId, endUser: user, nowMs: clock.nowMs() };
      const reader = db.readers.of(tenantId);
      const [memories, count, conversations, episodes, about] = await Promise.all([
        listRecentMemories(reader, place, OPENING_CHARACTERS, PINNED + NEWEST),
        countMemories(reader, place, COUNTED + 1),
        listRecentConversations(reader, place, TITLES),
        listRecentEpisodes(reader, place, TITLES),
        topicsOf(reader, place),
      ]);
      const ids = memories.map(({ id }) => id);
      const older = await listReplaced(reader, place, ids, OPENING_CHARACTERS);
      const replaced = new Map(older.toReversed().map(({ supersededBy, opening }) => [supersededBy, opening]));
      const counted = { count: Math.min(count, COUNTED), hasMore: count > COUNTED };
      const parts = { user, memories, ...counted, conversations, episodes };
      return profileText({ ...parts, topics: about, replaced }, maxTokens, tokenCounterOf(tenantId));
    },
  };
  return profile;
}
