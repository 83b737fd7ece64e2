import type { Topic, TopicDetails, TopicMemory, TopicsQuery } from '../../contract/topics.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Erasable } from '../erasure/erasure.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import { type Memories, toMemory } from '../memories/memories.ts';
import type { Successors } from '../search/result-page.ts';
import type { SimilarMemories } from '../search/similar-memories.ts';
import type { Cursors } from '../text/page-cursor.ts';
import type { Scopes } from '../text/scopes.ts';
import type { Words } from '../words/words.ts';
import { createEditingTopics, type EditingTopics } from './editing.ts';
import { createFindingTopics, type FindingTopics } from './finding.ts';
import { requireTopic, toTopics } from './topic-answers.ts';
import { nameKeyOf } from './topic-names.ts';
import {
  deleteNamesOf,
  deleteSomeTopicsOf,
  listMentioning,
  listMentionTimes,
  listRelated,
  listTopics,
  type TopicOwner,
} from './topics-store.ts';

/** What the memories of a user are about. Another tenant's topics are `not_found`. */
export interface Topics extends FindingTopics, EditingTopics, Erasable {
  list(principal: Principal, query: TopicsQuery): Promise<{ data: Topic[]; nextCursor: string | null }>;
  get(principal: Principal, id: string): Promise<TopicDetails>;
  /** The most mentioned topics of a user with the newest valid memories of each, for a digest. */
  digest(reader: Reader, owner: TopicOwner, limits: { topics: number; memories: number }): Promise<TopicInDigest[]>;
}

interface TopicInDigest {
  name: string;
  memoryCount: number;
  /** Newest first; superseded ones too. */
  memoryIds: string[];
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  scopes: Scopes;
  idempotency: Pick<Idempotency, 'createOrFind'>;
  words: Words;
  memories: Pick<Memories, 'findRowsWithin'>;
  /** Finds memories by the words of a name that a person gives. */
  similar: SimilarMemories;
  /** The newer memories that open suggestions put in the place of some. */
  possibleSuccessors(
    reader: Reader,
    tenantId: string,
    memoryIds: readonly string[],
  ): Promise<Pick<Successors, 'newerOf'>>;
}

const MEMORIES = 200;
const SHOWN = 100;
const RELATED = 12;
const ERASED_AT_ONCE = 200;

/** Composes finding, reading and changing topics. */
export function createTopics(parts: Parts): Topics {
  const { db, clock, cursors, memories, possibleSuccessors } = parts;

  return {
    ...createFindingTopics(parts),
    ...createEditingTopics(parts),
    async list({ tenantId }, { user = 'default', q, sort = 'memories', hidden = false, limit = 50, cursor }) {
      const boundTo = ['topics', tenantId, user, q, sort, hidden];
      const after = cursor === undefined ? undefined : positionIn(cursors.read(cursor, boundTo));
      const startOfWord = q === undefined ? undefined : nameKeyOf(q);
      if (startOfWord === '') return { data: [], nextCursor: null };
      const reader = db.readers.of(tenantId);
      const selection = { startOfWord, sort, isHidden: hidden ? 1 : 0, after, limit: limit + 1 };
      const rows = await listTopics(reader, { tenantId, endUser: user, ...selection });
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ sortedBy, id }) =>
        JSON.stringify([sortedBy, id]),
      );
      return { data: await toTopics(reader, tenantId, data), nextCursor };
    },
    async get({ tenantId }, id) {
      const reader = db.readers.of(tenantId);
      const row = await requireTopic(reader, tenantId, id);
      const [topic] = await toTopics(reader, tenantId, [row]);
      const memoryIds = await listMentioning(reader, tenantId, id, MEMORIES);
      const [rows, { newerOf }, times, related] = await Promise.all([
        memories.findRowsWithin(reader, tenantId, memoryIds),
        possibleSuccessors(reader, tenantId, memoryIds),
        listMentionTimes(reader, tenantId, id),
        listRelated(reader, row, id, RELATED),
      ]);
      const byId = new Map(rows.map((one) => [one.id, one]));
      const about = memoryIds.flatMap((memoryId): TopicMemory[] => {
        const memory = byId.get(memoryId);
        // What has expired is not shown before it is deleted.
        if (!memory || (memory.expiresAt !== null && memory.expiresAt <= clock.nowMs())) return [];
        const newer = newerOf.get(memoryId);
        return [{ ...toMemory(memory), ...(newer !== undefined && { possiblySupersededBy: newer }) }];
      });
      const holds = ({ validTo, possiblySupersededBy }: TopicMemory) =>
        validTo === null && possiblySupersededBy === undefined;
      return {
        ...topic!,
        now: about.filter(holds).slice(0, SHOWN),
        before: about.filter((memory) => !holds(memory)).slice(0, SHOWN),
        mentions: mentionsByMonth(times),
        related,
      };
    },
    async digest(reader, owner, limits) {
      const selection = { startOfWord: undefined, sort: 'memories', isHidden: 0, after: undefined } as const;
      const rows = await listTopics(reader, { ...owner, ...selection, limit: limits.topics });
      return Promise.all(
        rows.map(async ({ id, name, memoryCount }) => {
          return { name, memoryCount, memoryIds: await listMentioning(reader, owner.tenantId, id, limits.memories) };
        }),
      );
    },
    async erase(owner: Owner) {
      while (
        (await db.writes.write(owner.tenantId, (connection) =>
          deleteSomeTopicsOf(connection, owner, ERASED_AT_ONCE),
        )) === ERASED_AT_ONCE
      );
      await db.writes.write(owner.tenantId, (connection) => deleteNamesOf(connection, owner));
    },
  };
}

function positionIn(text: string): { value: string | number; id: string } {
  const [value, id] = JSON.parse(text) as [string | number, string];
  return { value, id };
}

function mentionsByMonth(times: readonly number[]): { month: string; memories: number }[] {
  const months = new Map<string, number>();
  for (const time of times) {
    const month = toTimestamp(time).slice(0, 7);
    months.set(month, (months.get(month) ?? 0) + 1);
  }
  return [...months]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([month, count]) => ({ month, memories: count }));
}
