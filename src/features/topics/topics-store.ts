import type { TopicSort } from '../../contract/topic-sorts.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { erasedCondition, type Owner } from '../../db/owner.ts';
import { insertRows } from '../../db/values.ts';

/** A user within a tenant. */
export interface TopicOwner {
  tenantId: string;
  endUser: string;
}

/** A stored topic; flags are 0 or 1, `lastAt` is in epoch milliseconds, 0 without memories. */
export interface TopicRow extends TopicOwner {
  id: string;
  name: string;
  /** Whether a person named it. */
  isNamed: number;
  isHidden: number;
  memoryCount: number;
  lastAt: number;
}

/**
 * `text`: found in a text; `part`: the first or last word of a longer name, and `seen` once it was found alone;
 * `ambiguous`: part of the names of several topics; `given`: by a person; `kept`: found in a text, and put where it is by a
 * person.
 */
export type NameSource = 'text' | 'part' | 'seen' | 'ambiguous' | 'given' | 'kept';

export interface NameRow extends TopicOwner {
  key: string;
  topicId: string;
  spelling: string;
  source: NameSource;
}

/** A memory mentions a topic by a name; `at` is when the memory was said. */
export interface MentionRow {
  tenantId: string;
  topicId: string;
  key: string;
  memoryId: string;
  at: number;
  /** The name as the memory has it. */
  spelling: string;
}

const TOPIC = 'tenantId, id, endUser, name, isNamed, isHidden, memoryCount, lastAt';
const NAME = 'n.tenantId, n.endUser, n.key, n.topicId, n.spelling, n.source';
/** Mentions that are counted by month, and memories in which others topics are looked for. */
const COUNTED = 2000;
const RELATING = 200;

/** Finds topics by their ids. */
export async function findTopics(reader: Reader, tenantId: string, ids: readonly string[]): Promise<TopicRow[]> {
  if (ids.length === 0) return [];
  return reader.all(`SELECT ${TOPIC} FROM topics WHERE tenantId = ? AND id IN (SELECT value FROM texts(?))`, [
    tenantId,
    JSON.stringify(ids),
  ]);
}

/** Which topics to list, and after which one. */
export interface TopicSelection extends TopicOwner {
  /** The beginning of a word of a name, as keys have it. */
  startOfWord: string | undefined;
  sort: TopicSort;
  isHidden: number;
  after: { value: string | number; id: string } | undefined;
  limit: number;
}

const SORTS: Readonly<Record<TopicSort, { column: string; order: 'ASC' | 'DESC' }>> = {
  memories: { column: 'memoryCount', order: 'DESC' },
  latest: { column: 'lastAt', order: 'DESC' },
  name: { column: 'LOWER(name)', order: 'ASC' },
};

/** Lists topics that several memories mention, or that a person named; `sortedBy` is where the list goes on after one. */
export async function listTopics(
  reader: Reader,
  { tenantId, endUser, startOfWord, sort, isHidden, after, limit }: TopicSelection,
): Promise<(TopicRow & { sortedBy: string | number })[]> {
  const { column, order } = SORTS[sort];
  const conditions = ['tenantId = ?', 'endUser = ?', 'isHidden = ?', '(memoryCount > 1 OR isNamed = 1)'];
  const values: (string | number)[] = [tenantId, endUser, isHidden];
  if (startOfWord !== undefined) {
    const start = startOfWord.replaceAll(/[\\%_]/g, '\\$&');
    conditions.push(`id IN (SELECT n.topicId FROM topicNames n WHERE n.tenantId = ? AND n.endUser = ?
      AND (n.key LIKE ? ESCAPE '\\' OR n.key LIKE ? ESCAPE '\\'))`);
    values.push(tenantId, endUser, `${start}%`, `% ${start}%`);
  }
  if (after !== undefined) {
    conditions.push(`(${column}, id) ${order === 'ASC' ? '>' : '<'} (?, ?)`);
    values.push(after.value, after.id);
  }
  return reader.all(
    `SELECT ${TOPIC}, ${column} AS sortedBy FROM topics WHERE ${conditions.join(' AND ')}
     ORDER BY ${column} ${order}, id ${order} LIMIT ?`,
    [...values, limit],
  );
}

/** Finds names of a user by their keys. */
export async function findNames(
  reader: Reader,
  { tenantId, endUser }: TopicOwner,
  keys: readonly string[],
): Promise<NameRow[]> {
  if (keys.length === 0) return [];
  return reader.all(
    `SELECT ${NAME} FROM texts(?) t
       CROSS JOIN topicNames n ON n.tenantId = ? AND n.endUser = ? AND n.key = t.value`,
    [JSON.stringify(keys), tenantId, endUser],
  );
}

/** Lists all names of some topics, in the order of their keys. */
export async function listNamesOf(reader: Reader, tenantId: string, topicIds: readonly string[]): Promise<NameRow[]> {
  if (topicIds.length === 0) return [];
  return reader.all(
    `SELECT ${NAME} FROM texts(?) t CROSS JOIN topicNames n ON n.tenantId = ? AND n.topicId = t.value ORDER BY n.key`,
    [JSON.stringify(topicIds), tenantId],
  );
}

/** Lists names that a person gave. */
export async function listGivenNames(
  reader: Reader,
  { tenantId, endUser }: TopicOwner,
  limit: number,
): Promise<NameRow[]> {
  return reader.all(
    `SELECT ${NAME} FROM topicNames n WHERE n.tenantId = ? AND n.endUser = ? AND n.source = 'given' LIMIT ?`,
    [tenantId, endUser, limit],
  );
}

/** Counts the names of a user. */
export async function countNames(reader: Reader, { tenantId, endUser }: TopicOwner): Promise<number> {
  const row = await reader.get<{ names: number }>(
    'SELECT COUNT(*) AS names FROM topicNames WHERE tenantId = ? AND endUser = ?',
    [tenantId, endUser],
  );
  return row!.names;
}

/** Finds what some memories mention. */
export async function findMentionsIn(
  reader: Reader,
  tenantId: string,
  memoryIds: readonly string[],
): Promise<MentionRow[]> {
  return reader.all(
    `SELECT m.tenantId, m.topicId, m.key, m.memoryId, m.at, m.spelling FROM texts(?) t
       CROSS JOIN topicMentions m ON m.tenantId = ? AND m.memoryId = t.value`,
    [JSON.stringify(memoryIds), tenantId],
  );
}

/** Lists the memories that mention a topic, newest first. */
export async function listMentioning(
  reader: Reader,
  tenantId: string,
  topicId: string,
  limit: number,
): Promise<string[]> {
  const rows = await reader.all<{ memoryId: string }>(
    `SELECT memoryId, MAX(at) AS newest FROM (SELECT memoryId, at FROM topicMentions WHERE tenantId = ? AND topicId = ?
       ORDER BY at DESC, memoryId DESC LIMIT ?) m GROUP BY memoryId ORDER BY newest DESC, memoryId DESC LIMIT ?`,
    // A memory may mention it by several names.
    [tenantId, topicId, 4 * limit, limit],
  );
  return rows.map(({ memoryId }) => memoryId);
}

/** Lists when the newest memories about a topic were said. */
export async function listMentionTimes(reader: Reader, tenantId: string, topicId: string): Promise<number[]> {
  const rows = await reader.all<{ at: number }>(
    `SELECT MAX(at) AS at FROM (SELECT memoryId, at FROM topicMentions WHERE tenantId = ? AND topicId = ?
       ORDER BY at DESC, memoryId DESC LIMIT ?) m GROUP BY memoryId`,
    [tenantId, topicId, COUNTED],
  );
  return rows.map(({ at }) => at);
}

/** Lists the topics that the newest memories of a topic mention too, with how many of those. */
export async function listRelated(
  reader: Reader,
  { tenantId, endUser }: TopicOwner,
  topicId: string,
  limit: number,
): Promise<{ id: string; name: string; memoryCount: number }[]> {
  return reader.all(
    `SELECT o.id, o.name, COUNT(DISTINCT m.memoryId) AS memoryCount
     FROM (SELECT DISTINCT memoryId FROM (SELECT memoryId FROM topicMentions WHERE tenantId = ? AND topicId = ?
       ORDER BY at DESC, memoryId DESC LIMIT ?) newest) own
       CROSS JOIN topicMentions m ON m.tenantId = ? AND m.memoryId = own.memoryId
       CROSS JOIN topics o ON o.tenantId = ? AND o.id = m.topicId
     WHERE o.id <> ? AND o.endUser = ? AND o.isHidden = 0 AND (o.memoryCount > 1 OR o.isNamed = 1)
     GROUP BY o.id, o.name ORDER BY COUNT(DISTINCT m.memoryId) DESC, o.id LIMIT ?`,
    [tenantId, topicId, RELATING, tenantId, tenantId, topicId, endUser, limit],
  );
}

/** Inserts topics. */
export async function insertTopics(connection: Connection, rows: readonly TopicRow[]): Promise<void> {
  await insertRows(
    connection,
    `INSERT INTO topics (${TOPIC})`,
    rows.map((row) => [
      ...[row.tenantId, row.id, row.endUser, row.name, row.isNamed, row.isHidden, row.memoryCount, row.lastAt],
    ]),
  );
}

/** Stores names, in the place of those with the same keys. */
export async function upsertNames(connection: Connection, rows: readonly NameRow[]): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO topicNames (tenantId, endUser, key, topicId, spelling, source)',
    rows.map((row) => [row.tenantId, row.endUser, row.key, row.topicId, row.spelling, row.source]),
    `ON CONFLICT (tenantId, endUser, key) DO UPDATE
       SET topicId = excluded.topicId, spelling = excluded.spelling, source = excluded.source`,
  );
}

/** Deletes names of a user. */
export async function deleteNames(
  connection: Connection,
  { tenantId, endUser }: TopicOwner,
  keys: readonly string[],
): Promise<void> {
  await connection.run(
    'DELETE FROM topicNames WHERE tenantId = ? AND endUser = ? AND key IN (SELECT value FROM texts(?))',
    [tenantId, endUser, JSON.stringify(keys)],
  );
}

/** Stores mentions; of those that are stored, the time. */
export async function insertMentions(connection: Connection, rows: readonly MentionRow[]): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO topicMentions (tenantId, topicId, key, memoryId, at, spelling)',
    rows.map((row) => [row.tenantId, row.topicId, row.key, row.memoryId, row.at, row.spelling]),
    'ON CONFLICT (tenantId, topicId, key, memoryId) DO UPDATE SET at = excluded.at, spelling = excluded.spelling',
  );
}

/** Deletes one mention. */
export async function deleteMention(
  connection: Connection,
  { tenantId, topicId, key, memoryId }: Omit<MentionRow, 'at' | 'spelling'>,
): Promise<void> {
  await connection.run('DELETE FROM topicMentions WHERE tenantId = ? AND topicId = ? AND key = ? AND memoryId = ?', [
    tenantId,
    topicId,
    key,
    memoryId,
  ]);
}

/** Gives the mentions by some names to another topic; of a memory that mentions both by the same name, one stays. */
export async function moveMentions(
  connection: Connection,
  tenantId: string,
  { from, to, keys }: { from: string; to: string; keys: readonly string[] | undefined },
): Promise<void> {
  const moved = `tenantId = ? AND topicId = ? ${keys === undefined ? '' : 'AND key IN (SELECT value FROM texts(?))'}`;
  const values = [tenantId, from, ...(keys === undefined ? [] : [JSON.stringify(keys)])];
  await connection.run(
    `DELETE FROM topicMentions WHERE ${moved} AND EXISTS (SELECT 1 FROM topicMentions o WHERE o.tenantId = topicMentions.tenantId
       AND o.topicId = ? AND o.key = topicMentions.key AND o.memoryId = topicMentions.memoryId)`,
    [...values, to],
  );
  await connection.run(`UPDATE topicMentions SET topicId = ? WHERE ${moved}`, [to, ...values]);
}

/** Adds to the number of memories of topics, and finds the time of their newest anew. */
export async function addToCounts(
  connection: Connection,
  tenantId: string,
  topicIds: readonly string[],
  change: number,
): Promise<void> {
  await connection.run(
    `UPDATE topics SET memoryCount = memoryCount + ?, lastAt = COALESCE((SELECT MAX(m.at) FROM topicMentions m
       WHERE m.tenantId = topics.tenantId AND m.topicId = topics.id), 0)
     WHERE tenantId = ? AND id IN (SELECT value FROM texts(?))`,
    [change, tenantId, JSON.stringify(topicIds)],
  );
}

/** Counts the memories of topics anew, after their names moved. */
export async function recount(connection: Connection, tenantId: string, topicIds: readonly string[]): Promise<void> {
  await connection.run(
    `UPDATE topics SET memoryCount = (SELECT COUNT(DISTINCT m.memoryId) FROM topicMentions m
         WHERE m.tenantId = topics.tenantId AND m.topicId = topics.id),
       lastAt = COALESCE((SELECT MAX(m.at) FROM topicMentions m
         WHERE m.tenantId = topics.tenantId AND m.topicId = topics.id), 0)
     WHERE tenantId = ? AND id IN (SELECT value FROM texts(?))`,
    [tenantId, JSON.stringify(topicIds)],
  );
}

/** Stores the name of a topic and whether it is hidden. */
export async function updateTopic(
  connection: Connection,
  { tenantId, id, name, isNamed, isHidden }: TopicRow,
): Promise<void> {
  await connection.run('UPDATE topics SET name = ?, isNamed = ?, isHidden = ? WHERE tenantId = ? AND id = ?', [
    ...[name, isNamed, isHidden, tenantId, id],
  ]);
}

/** Deletes topics with their names and mentions. */
export async function deleteTopics(connection: Connection, tenantId: string, ids: readonly string[]): Promise<void> {
  const values = [tenantId, JSON.stringify(ids)];
  const mentioned = 'tenantId = ? AND topicId IN (SELECT value FROM texts(?))';
  await connection.run(`DELETE FROM topicMentions WHERE ${mentioned}`, values);
  await connection.run(`DELETE FROM topicNames WHERE ${mentioned}`, values);
  await connection.run('DELETE FROM topics WHERE tenantId = ? AND id IN (SELECT value FROM texts(?))', values);
}

/** Finds those of some topics that no memory mentions any more. */
export async function listEmpty(reader: Reader, tenantId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    'SELECT id FROM topics WHERE tenantId = ? AND memoryCount < 1 AND id IN (SELECT value FROM texts(?))',
    [tenantId, JSON.stringify(ids)],
  );
  return rows.map(({ id }) => id);
}

/** Finds those names of some topics that were found in texts and that no memory has any more. */
export async function listUnmentioned(
  reader: Reader,
  tenantId: string,
  topicIds: readonly string[],
): Promise<{ key: string }[]> {
  return reader.all(
    `SELECT n.key FROM texts(?) t CROSS JOIN topicNames n ON n.tenantId = ? AND n.topicId = t.value
     WHERE n.source IN ('text', 'kept') AND NOT EXISTS
       (SELECT 1 FROM topicMentions m WHERE m.tenantId = ? AND m.topicId = n.topicId AND m.key = n.key)`,
    [JSON.stringify(topicIds), tenantId, tenantId],
  );
}

/** The mentions of a topic by one of its names. */
const BY_NAME = `topicMentions m WHERE m.tenantId = topicNames.tenantId AND m.topicId = topicNames.topicId
  AND m.key = topicNames.key`;
/** Whether a longer name of the same topic has a name as a word. */
const IN_LONGER = `EXISTS (SELECT 1 FROM topicNames l WHERE l.tenantId = topicNames.tenantId
  AND l.topicId = topicNames.topicId AND l.key <> topicNames.key
  AND REPLACE(' ' || l.key || ' ', ' ' || topicNames.key || ' ', '') <> ' ' || l.key || ' ')`;

/**
 * Deletes words of longer names that are gone, and gives some topics and their names spellings that a memory still has or a
 * person gave. A trigger does this where a memory is erased.
 */
export async function respell(connection: Connection, tenantId: string, topicIds: readonly string[]): Promise<void> {
  const values = [tenantId, JSON.stringify(topicIds)];
  const own = 'tenantId = ? AND topicId IN (SELECT value FROM texts(?))';
  await connection.run(
    `DELETE FROM topicNames WHERE ${own} AND source IN ('part', 'seen', 'ambiguous')
       AND NOT EXISTS (SELECT 1 FROM ${BY_NAME}) AND NOT ${IN_LONGER}`,
    values,
  );
  await connection.run(
    `UPDATE topicNames SET spelling = (SELECT m.spelling FROM ${BY_NAME} ORDER BY m.at, m.memoryId LIMIT 1)
     WHERE ${own} AND source <> 'given' AND EXISTS (SELECT 1 FROM ${BY_NAME})
       AND NOT EXISTS (SELECT 1 FROM ${BY_NAME} AND m.spelling = topicNames.spelling)`,
    values,
  );
  await connection.run(
    `UPDATE topics SET name = COALESCE((SELECT n.spelling FROM topicNames n WHERE n.tenantId = topics.tenantId
         AND n.topicId = topics.id ORDER BY LENGTH(n.key) DESC, n.key LIMIT 1), '…')
     WHERE tenantId = ? AND id IN (SELECT value FROM texts(?)) AND NOT EXISTS (SELECT 1 FROM topicNames n
       WHERE n.tenantId = topics.tenantId AND n.topicId = topics.id AND n.spelling = topics.name)`,
    values,
  );
}

/** Lists a user's topics that one memory mentions and nobody named, the least recent first. */
export async function listForgettable(
  reader: Reader,
  { tenantId, endUser }: TopicOwner,
  limit: number,
): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM topics WHERE tenantId = ? AND endUser = ? AND memoryCount < 2 AND isNamed = 0 AND isHidden = 0
     ORDER BY lastAt, id LIMIT ?`,
    [tenantId, endUser, limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` topics of an owner that is being erased. Returns how many. */
export async function deleteSomeTopicsOf(connection: Connection, owner: Owner, limit: number): Promise<number> {
  const own = erasedCondition(owner);
  const rows = await connection.all<{ id: string }>(`SELECT id FROM topics WHERE ${own.sql} LIMIT ?`, [
    ...own.values,
    limit,
  ]);
  await deleteTopics(
    connection,
    owner.tenantId,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** Deletes names of an owner that is being erased, and of a tenant the mentions, after their topics. */
export async function deleteNamesOf(connection: Connection, owner: Owner): Promise<void> {
  const own = erasedCondition(owner);
  await connection.run(`DELETE FROM topicNames WHERE ${own.sql}`, own.values);
  if (owner.endUser !== undefined) return;
  await connection.run('DELETE FROM topicMentions WHERE tenantId = ?', [owner.tenantId]);
}
