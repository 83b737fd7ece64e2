import { lastSaid } from '../../contract/memories.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Ids } from '../../lib/ids.ts';
import { withoutMasks } from '../../lib/redaction.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { Memories, MemoryRow } from '../memories/memories.ts';
import { tagsIn } from '../memories/memory-row.ts';
import type { Words } from '../words/words.ts';
import { keysOf, type Linked, linkNames, mentionsOf } from './linking.ts';
import { keyTextOf, saysKey, type TopicName, topicNamesIn } from './topic-names.ts';
import {
  addToCounts,
  countNames,
  deleteMention,
  deleteNames,
  deleteTopics,
  findMentionsIn,
  findNames,
  findTopics,
  insertMentions,
  insertTopics,
  listEmpty,
  listForgettable,
  listGivenNames,
  listUnmentioned,
  type MentionRow,
  type NameRow,
  respell,
  type TopicOwner,
  updateTopic,
  upsertNames,
} from './topics-store.ts';

/** Finds what memories are about. */
export interface FindingTopics {
  /** Reads memories of a tenant for the first time or again, after they changed; those that do not exist are left out. */
  read(tenantId: string, memoryIds: readonly string[]): Promise<void>;
}

interface Parts {
  db: Database;
  ids: Ids;
  words: Words;
  memories: Pick<Memories, 'findRowsWithin'>;
}

/** Names of a user; where there are more, topics with a single memory are forgotten, the oldest first. */
const MAX_NAMES = 5000;
const FORGOTTEN_AT_ONCE = 500;
/** Where so many names have several memories, none is added any more: only known ones are found. */
const MOST_NAMES = 2 * MAX_NAMES;
/** Names of a user that a person gave. */
export const MAX_GIVEN = 500;

interface Read {
  row: MemoryRow;
  names: readonly TopicName[];
}

/** Reads memories outside the transaction that stores what was found, and leaves out those that changed meanwhile. */
export function createFindingTopics({ db, ids, words, memories }: Parts): FindingTopics {
  async function namesOf(row: MemoryRow, given: readonly NameRow[]): Promise<TopicName[]> {
    const { tenantId, tags, project } = row;
    const content = withoutMasks(row.content);
    const table = await words.table();
    const found = await runInSlices(topicNamesIn({ content, tags: tagsIn(tags), project }, table), tenantId);
    const text = given.length === 0 ? '' : keyTextOf(content);
    const added = given.filter(({ key }) => saysKey(text, key));
    return [...found, ...added.map(({ key, spelling }) => ({ key, spelling, kind: 'name' }) as const)];
  }

  async function link(connection: Connection, owner: TopicOwner, read: readonly Read[]): Promise<void> {
    const { tenantId } = owner;
    const linked = await linkedOf(connection, owner, read);
    const wanted: MentionRow[] = read.flatMap(({ row, names }) => {
      const memory = { tenantId, memoryId: row.id, at: lastSaid(row) };
      return mentionsOf(linkNames(linked, names), memory);
    });
    const stored = await findMentionsIn(
      connection,
      tenantId,
      read.map(({ row }) => row.id),
    );
    await insertTopics(connection, linked.newTopics);
    await upsertNames(connection, [...linked.changedNames.values()]);
    for (const id of linked.renamed) await updateTopic(connection, linked.topics.get(id)!);
    await replaceMentions(connection, owner, stored, wanted);
  }

  async function linkedOf(connection: Connection, owner: TopicOwner, read: readonly Read[]): Promise<Linked> {
    const names = await findNames(connection, owner, keysOf(read.flatMap((one) => one.names)));
    const topics = await findTopics(connection, owner.tenantId, [...new Set(names.map(({ topicId }) => topicId))]);
    return {
      owner,
      names: new Map(names.map((row) => [row.key, row])),
      topics: new Map(topics.map((row) => [row.id, row])),
      ...{ changedNames: new Map(), newTopics: [], renamed: new Set() },
      nextId: () => ids.next('top'),
    };
  }

  /** Reads memories of one user. Returns whether what was found is stored: a person may give another name meanwhile. */
  async function readOf(owner: TopicOwner, rows: readonly MemoryRow[]): Promise<boolean> {
    const { tenantId } = owner;
    const given = await listGivenNames(db.readers.of(tenantId), owner, MAX_GIVEN);
    const read: Read[] = [];
    for (const row of rows) read.push({ row, names: await namesOf(row, given) });
    const known = new Set(given.map(({ key }) => key));
    return db.writes.write(tenantId, async (connection) => {
      const isNew = ({ key }: NameRow) => !known.has(key);
      if ((await listGivenNames(connection, owner, MAX_GIVEN)).some(isNew)) return false;
      // What was erased or changed since is not linked: a change is read separately.
      const ids = rows.map(({ id }) => id);
      const now = await memories.findRowsWithin(connection, tenantId, ids);
      const versions = new Map(now.map(({ id, version }) => [id, version]));
      const same = read.filter(({ row }) => versions.get(row.id) === row.version);
      if (same.length === 0) return true;
      const stored = await countNames(connection, owner);
      await link(connection, owner, stored < MOST_NAMES ? same : same.map(onlyKnown));
      if (stored > MAX_NAMES) {
        await deleteTopics(connection, tenantId, await listForgettable(connection, owner, FORGOTTEN_AT_ONCE));
      }
      return true;
    });
  }

  return {
    async read(tenantId, memoryIds) {
      const reader = db.readers.of(tenantId);
      const found = new Map((await memories.findRowsWithin(reader, tenantId, memoryIds)).map((row) => [row.id, row]));
      // In their order: what an earlier one names is known to a later one.
      const rows = memoryIds.flatMap((id) => found.get(id) ?? []);
      for (const [endUser, own] of groupByUser(rows)) while (!(await readOf({ tenantId, endUser }, own)));
    },
  };
}

/** Makes no new topics of what was read. */
function onlyKnown({ row, names }: Read): Read {
  return { row, names: names.map((name) => ({ ...name, kind: 'maybe' })) };
}

function groupByUser(rows: readonly MemoryRow[]): Map<string, MemoryRow[]> {
  const users = new Map<string, MemoryRow[]>();
  for (const row of rows) users.set(row.endUser, [...(users.get(row.endUser) ?? []), row]);
  return users;
}

/**
 * Replaces the mentions of some memories in the caller's transaction, with the number of memories of each topic; topics, names
 * and spellings that nothing mentions any more are deleted.
 */
async function replaceMentions(
  connection: Connection,
  owner: TopicOwner,
  stored: readonly MentionRow[],
  wanted: readonly MentionRow[],
): Promise<void> {
  const { tenantId } = owner;
  const identityOf = ({ topicId, key, memoryId }: MentionRow) => JSON.stringify([topicId, memoryId, key]);
  const kept = new Set(wanted.map(identityOf));
  const gone = stored.filter((row) => !kept.has(identityOf(row)));
  for (const row of gone) await deleteMention(connection, row);
  await insertMentions(connection, wanted);

  const changes = new Map<string, number>();
  const pairs = (rows: readonly MentionRow[]) =>
    new Map(rows.map(({ topicId, memoryId }) => [`${topicId} ${memoryId}`, topicId] as const));
  const [before, after] = [pairs(stored), pairs(wanted)];
  for (const [pair, id] of after) if (!before.has(pair)) changes.set(id, (changes.get(id) ?? 0) + 1);
  for (const [pair, id] of before) if (!after.has(pair)) changes.set(id, (changes.get(id) ?? 0) - 1);
  for (const change of new Set(changes.values())) {
    const topicIds = [...changes].filter(([, by]) => by === change).map(([id]) => id);
    await addToCounts(connection, tenantId, topicIds, change);
  }
  if (gone.length === 0) return;
  const touched = [...new Set(gone.map(({ topicId }) => topicId))];
  await deleteTopics(connection, tenantId, await listEmpty(connection, tenantId, touched));
  const unmentioned = await listUnmentioned(connection, tenantId, touched);
  await deleteNames(
    connection,
    owner,
    unmentioned.map(({ key }) => key),
  );
  await respell(connection, tenantId, touched);
}
