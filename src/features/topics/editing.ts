import { AppError } from '../../contract/errors.ts';
import { lastSaid } from '../../contract/memories.ts';
import { MAX_ALIASES, type Topic, type TopicChange, type TopicSplit } from '../../contract/topics.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Memories, MemoryRow } from '../memories/memories.ts';
import type { SimilarMemories } from '../search/similar-memories.ts';
import type { Scopes } from '../text/scopes.ts';
import { MAX_GIVEN } from './finding.ts';
import { isAlias, isOwned, requireTopic, requireTopicMatch, toTopics } from './topic-answers.ts';
import { keyTextOf, nameKeyOf, saysKey } from './topic-names.ts';
import {
  addToCounts,
  deleteTopics,
  findMentionsIn,
  findNames,
  findTopics,
  insertMentions,
  insertTopics,
  listEmpty,
  listGivenNames,
  listNamesOf,
  moveMentions,
  type NameRow,
  recount,
  type TopicRow,
  updateTopic,
  upsertNames,
} from './topics-store.ts';

/** What a person changes of topics; it holds against what the rules find later. */
export interface EditingTopics {
  /**
   * Names, renames or hides a topic. An alias that is left out becomes a separate topic. Throws `conflict` for a name of
   * another topic.
   */
  change(principal: Principal, id: string, change: TopicChange, ifMatch?: string): Promise<Topic>;
  /** Makes other topics of the same user part of one. */
  mergeOnce(
    principal: Principal,
    id: string,
    topicIds: readonly string[],
    claim: Claim | undefined,
  ): Promise<Created<Topic>>;
  /** Makes some names of a topic a topic of their own, which is returned. */
  splitOnce(principal: Principal, id: string, split: TopicSplit, claim: Claim | undefined): Promise<Created<Topic>>;
}

interface Parts {
  db: Database;
  ids: Ids;
  scopes: Scopes;
  idempotency: Pick<Idempotency, 'createOrFind'>;
  clock: Clock;
  memories: Pick<Memories, 'findRowsWithin'>;
  /** Finds memories by the words of a name that a person gives. */
  similar: SimilarMemories;
}

/** Names that are given at once, each of which is searched for, and memories that say one. */
const MAX_NEW = 10;
const MAX_SAYING = 200;
/** Mentions that one transaction gives to another topic. */
const MAX_MOVED = 10_000;

/** Changes names in one transaction each, with the number of memories of every topic that they touch. */
export function createEditingTopics(parts: Parts): EditingTopics {
  const { db, clock, ids, scopes, idempotency, memories, similar } = parts;

  async function find(connection: Connection, tenantId: string, id: string): Promise<Topic | undefined> {
    return (await toTopics(connection, tenantId, await findTopics(connection, tenantId, [id])))[0];
  }

  async function answer(connection: Connection, tenantId: string, id: string): Promise<Topic> {
    const [topic] = await toTopics(connection, tenantId, [await requireTopic(connection, tenantId, id)]);
    return topic!;
  }

  /** Moves the names and mentions of a topic to another one, and deletes it. */
  async function absorb(connection: Connection, into: TopicRow, from: TopicRow): Promise<void> {
    const names = await listNamesOf(connection, from.tenantId, [from.id]);
    await upsertNames(
      connection,
      names.map((row) => ({ ...row, topicId: into.id, source: keptSource(row, from) })),
    );
    await moveMentions(connection, from.tenantId, { from: from.id, to: into.id, keys: undefined });
    await deleteTopics(connection, from.tenantId, [from.id]);
  }

  /**
   * Frees a name of another topic for `topic`. A word of several names may have a topic that is not listed yet: it becomes part
   * of `topic`. Throws `conflict` if the other topic owns the name.
   */
  async function release(connection: Connection, topic: TopicRow, known: NameRow, spelling: string): Promise<void> {
    const [owner] = await findTopics(connection, topic.tenantId, [known.topicId]);
    if (owner === undefined || !isOwned(known, owner)) return;
    if (isAlias(known) || !isForgettable(owner)) {
      throw new AppError('conflict', `"${spelling}" is a name of the topic ${owner.id}: merge the two.`);
    }
    await absorb(connection, topic, owner);
    await recount(connection, topic.tenantId, [topic.id]);
  }

  /** Gives a topic a name, unless it has it. Throws `conflict` if another topic has it. */
  async function giveName(connection: Connection, topic: TopicRow, spelling: string): Promise<void> {
    const { tenantId, endUser, id } = topic;
    const key = requireKey(spelling);
    const [known] = await findNames(connection, topic, [key]);
    if (known !== undefined && known.topicId !== id) await release(connection, topic, known, spelling);
    if (known === undefined || known.topicId !== id) {
      if ((await listGivenNames(connection, topic, MAX_GIVEN)).length >= MAX_GIVEN) {
        throw new AppError('unprocessable', `A user can have ${MAX_GIVEN} names that were given to topics.`);
      }
    }
    await upsertNames(connection, [{ tenantId, endUser, key, topicId: id, spelling, source: 'given' }]);
  }

  /**
   * Makes names a topic of their own; `undefined` if no memory says them: then they are gone. `isNamed` says that a person wants
   * it, though only one memory may mention it. Throws `invalid_request` if no memory mentions the topic by another name.
   */
  async function separate(
    connection: Connection,
    topic: TopicRow,
    names: readonly NameRow[],
    isNamed: 0 | 1,
  ): Promise<TopicRow | undefined> {
    const { tenantId, endUser } = topic;
    const name = names.toSorted((one, other) => other.key.length - one.key.length)[0]!.spelling;
    const id = ids.next('top');
    const own: TopicRow = { tenantId, id, endUser, name, isNamed, isHidden: 0, memoryCount: 0, lastAt: 0 };
    await insertTopics(connection, [own]);
    await upsertNames(
      connection,
      names.map((row) => ({ ...row, topicId: id, source: keptSource(row, topic) })),
    );
    const keys = names.map(({ key }) => key);
    await moveMentions(connection, tenantId, { from: topic.id, to: id, keys });
    await recount(connection, tenantId, [topic.id, id]);
    const empty = await listEmpty(connection, tenantId, [topic.id, id]);
    if (empty.includes(topic.id)) throw refused('/aliases', 'must leave a name by which a memory mentions the topic');
    if (!empty.includes(id)) return own;
    await deleteTopics(connection, tenantId, [id]);
    return undefined;
  }

  /** Keeps the name of a topic that is renamed as an alias, also if it is a word of several names. */
  async function keepName(connection: Connection, topic: TopicRow): Promise<void> {
    const names = await findNames(connection, topic, [nameKeyOf(topic.name)]);
    const shared = names.filter((row) => row.topicId === topic.id && !isAlias(row));
    await upsertNames(
      connection,
      shared.map((row) => ({ ...row, source: 'kept' })),
    );
  }

  /** Finds memories that say a name which no text was searched for yet. */
  async function findSaying(topic: TopicRow, names: readonly string[]): Promise<Saying[]> {
    const { tenantId, endUser } = topic;
    const scope = await scopes.find(db.lookups, { tenantId, endUser });
    if (scope === undefined) return [];
    const found: Saying[] = [];
    for (const text of names) {
      const to = { text, limit: MAX_SAYING, nowMs: clock.nowMs() };
      const rows = (await similar({ tenantId, endUser, scope }, to)).map(({ row }) => row);
      found.push(...(await runInSlices(sayingIn(rows, text), tenantId)));
    }
    return found;
  }

  /** Links the memories that say a name, unless they were changed or erased since they were read. */
  async function link(connection: Connection, topic: TopicRow, saying: readonly Saying[]): Promise<void> {
    const { tenantId, id: topicId } = topic;
    const memoryIds = [...new Set(saying.map(({ row }) => row.id))];
    const now = await memories.findRowsWithin(connection, tenantId, memoryIds);
    const versions = new Map(now.map(({ id, version }) => [id, version]));
    const mentions = saying
      .filter(({ row }) => versions.get(row.id) === row.version)
      .map(({ key, spelling, row }) => {
        return { tenantId, topicId, key, memoryId: row.id, at: lastSaid(row), spelling };
      });
    const ids = [...new Set(mentions.map(({ memoryId }) => memoryId))];
    const known = (await findMentionsIn(connection, tenantId, ids)).filter((one) => one.topicId === topicId);
    await insertMentions(connection, mentions);
    const fresh = ids.filter((memoryId) => !known.some((one) => one.memoryId === memoryId));
    await addToCounts(connection, tenantId, [topicId], fresh.length);
  }

  return {
    async change({ tenantId }, id, { name, aliases, hidden }, ifMatch) {
      const reader = db.readers.of(tenantId);
      const before = await requireTopic(reader, tenantId, id);
      const given = distinctByKey([...(name === undefined ? [] : [name]), ...(aliases ?? [])]);
      // Memories that say a word of several longer names are linked with no topic yet.
      const names = (await findNames(reader, before, given.map(requireKey))).filter(isAlias);
      const known = new Set(names.map(({ key }) => key));
      const fresh = given.filter((spelling) => !known.has(requireKey(spelling)));
      if (fresh.length > MAX_NEW) throw refused('/aliases', `adds more than ${MAX_NEW} names at once`);
      // Searched before the transaction.
      const saying = await findSaying(before, fresh);
      return db.writes.write(tenantId, async (connection) => {
        const row = await requireTopic(connection, tenantId, id);
        requireTopicMatch(ifMatch, await answer(connection, tenantId, id));
        if (name !== undefined) await keepName(connection, row);
        for (const spelling of given) await giveName(connection, row, spelling);
        const changed = {
          ...row,
          ...(name !== undefined && { name, isNamed: 1 }),
          ...(hidden !== undefined && { isHidden: hidden ? 1 : 0 }),
        };
        await updateTopic(connection, changed);
        await link(connection, changed, saying);
        if (aliases !== undefined) {
          const kept = new Set([changed.name, ...aliases].map(nameKeyOf));
          const left = (await listNamesOf(connection, tenantId, [id])).filter(
            (one) => isAlias(one) && !kept.has(one.key),
          );
          if (left.length > 0) requireMovable(row);
          for (const one of left) await separate(connection, changed, [one], 0);
        }
        return answer(connection, tenantId, id);
      });
    },
    mergeOnce: ({ tenantId }, id, topicIds, claim) => {
      const merge = async (connection: Connection): Promise<string> => {
        const row = await requireTopic(connection, tenantId, id);
        let moved = 0;
        for (const from of topicIds) {
          const other = await requireTopic(connection, tenantId, from);
          if (from === id) throw refused('/topicIds', 'names the topic itself');
          if (other.endUser !== row.endUser) throw refused('/topicIds', 'names topics of several users');
          moved += other.memoryCount;
          requireMovable({ name: other.name, memoryCount: moved });
          await absorb(connection, row, other);
        }
        if ((await listNamesOf(connection, tenantId, [id])).length > MAX_ALIASES) {
          throw refused('/topicIds', `have more than ${MAX_ALIASES} names together`);
        }
        await recount(connection, tenantId, [id]);
        // A name by which nobody else is known holds from now on.
        await updateTopic(connection, { ...row, isNamed: 1 });
        return id;
      };
      return db.writes.write(tenantId, (connection) =>
        idempotency.createOrFind(connection, claim, {
          status: 200,
          create: () => merge(connection),
          find: () => find(connection, tenantId, id),
        }),
      );
    },
    splitOnce: ({ tenantId }, id, { aliases }, claim) => {
      const split = async (connection: Connection): Promise<string> => {
        const row = await requireTopic(connection, tenantId, id);
        requireMovable(row);
        const names = await listNamesOf(connection, tenantId, [id]);
        const keys = new Set(aliases.map(requireKey));
        const moved = names.filter(({ key }) => keys.has(key));
        if (moved.length < keys.size) throw refused('/aliases', 'are not all names of the topic');
        const kept = names.filter((one) => isOwned(one, row) && !keys.has(one.key));
        if (kept.length === 0) throw refused('/aliases', 'are all names of the topic: leave it one');
        // Words of a longer name, such as "Lovelace", go with it.
        const isIn = (key: string, of: readonly NameRow[]) => of.some((one) => ` ${one.key} `.includes(` ${key} `));
        const parts = names.filter(
          (one) => one.source === 'part' && !keys.has(one.key) && isIn(one.key, moved) && !isIn(one.key, kept),
        );
        const own = await separate(connection, row, [...moved, ...parts], 1);
        if (own === undefined) throw refused('/aliases', 'are in no memory: take them away instead');
        if (keys.has(nameKeyOf(row.name))) await updateTopic(connection, { ...row, name: kept[0]!.spelling });
        return own.id;
      };
      return db.writes.write(tenantId, (connection) =>
        idempotency.createOrFind(connection, claim, {
          create: () => split(connection),
          find: (own) => find(connection, tenantId, own),
        }),
      );
    },
  };
}

/** The source of a name that a person put where it is: what was found in texts is still forgotten with them. */
function keptSource(row: NameRow, topic: TopicRow): NameRow['source'] {
  return isOwned(row, topic) && row.source !== 'given' ? 'kept' : row.source;
}

/** Whether only one memory mentions a topic, which no person named or hid: it is not listed. */
function isForgettable({ memoryCount, isNamed, isHidden }: TopicRow): boolean {
  return memoryCount < 2 && isNamed === 0 && isHidden === 0;
}

/** The first spelling of each name. */
function distinctByKey(spellings: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const spelling of spellings) {
    const key = requireKey(spelling);
    if (!byKey.has(key)) byKey.set(key, spelling);
  }
  return [...byKey.values()];
}

/** A memory that says a name, as it was read. */
interface Saying {
  key: string;
  spelling: string;
  row: MemoryRow;
}

function* sayingIn(rows: readonly MemoryRow[], spelling: string): Generator<void, Saying[]> {
  const key = requireKey(spelling);
  const found: Saying[] = [];
  for (const row of rows) {
    if (saysKey(keyTextOf(row.content), key)) found.push({ key, spelling, row });
    yield;
  }
  return found;
}

/** Throws `unprocessable` if so many memories mention a topic that giving them to another one would hold up other writes. */
function requireMovable({ name, memoryCount }: Pick<TopicRow, 'name' | 'memoryCount'>): void {
  if (memoryCount <= MAX_MOVED) return;
  const message = `More than ${MAX_MOVED} memories would belong to another topic at once with "${name}": merge the smaller into the larger, or fewer.`;
  throw new AppError('unprocessable', message);
}

function requireKey(spelling: string): string {
  const key = nameKeyOf(spelling);
  if (key === '') throw refused('/name', 'has no letters or digits');
  return key;
}

function refused(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
