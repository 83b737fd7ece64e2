import type { ItemType } from '../../contract/search.ts';
import { WEB_APP_CLIENT } from '../../contract/web-app-client.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { erasedCondition, type Owner } from '../../db/owner.ts';
import { columnNames, insertRows, padToPowerOfTwo, placeholders, valuesOf } from '../../db/values.ts';
import { addMemoryUses } from './memory-uses-store.ts';
import type { ObservedAgreement } from './model-agreement.ts';
import { addModelAgreements } from './model-agreements-store.ts';
import { shownIdsOf } from './remembered-search.ts';

const TEXTS: Readonly<Record<ItemType, string>> = {
  memory: 'content AS text FROM memories WHERE current = 1',
  message: 'content AS text FROM messages WHERE 1 = 1',
  episode: 'title AS text FROM episodes WHERE 1 = 1',
};

/** Finds the texts of items that are still there, without long ones. */
export async function findShownTexts(
  reader: Reader,
  tenantId: string,
  ids: ReadonlyMap<ItemType, readonly string[]>,
  maxCharacters: number,
): Promise<{ id: string; text: string }[]> {
  const texts: { id: string; text: string }[] = [];
  for (const [type, own] of ids) {
    const padded = padToPowerOfTwo(own);
    const rows = await reader.all<{ id: string; text: string }>(
      `SELECT id, ${TEXTS[type]} AND (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})
       AND LENGTH(${type === 'episode' ? 'title' : 'content'}) <= ?`,
      [...padded.flatMap((id) => [tenantId, id]), maxCharacters],
    );
    texts.push(...rows);
  }
  return texts;
}

export interface LearnedRow {
  tenantId: string;
  endUser: string;
  state: Buffer;
  events: number;
  updatedAt: number;
  /** 1 if words of questions are learned. */
  usesWords: number;
  /** 1 if uses that nobody reported count. */
  infersUses: number;
}

export interface SearchRow {
  tenantId: string;
  id: string;
  endUser: string;
  bucket: string;
  candidates: string;
  signals: Buffer;
  shown: Buffer;
  createdAt: number;
  /** Ids that the ranking learned from, separated by spaces. */
  learnedFrom: string;
  /** The irrelevant ones among them. */
  irrelevant: string | null;
  feedbackAt: number | null;
  query: string | null;
  project: string | null;
  /** Separated by spaces; `null` for all. */
  types: string | null;
  /** The client that ran it; `null` if unknown. */
  client: string | null;
  /** The probability that anything answers it; `null` for a search that an earlier version stored. */
  confidence: number | null;
}

/**
 * With the scope that its user had when it was answered (`undefined` for a user without items), and what it said of the
 * embedding model.
 */
export type AnsweredSearchRow = SearchRow & { scope: number | undefined; agreement?: ObservedAgreement | undefined };

const SEARCH_COLUMNS = columnNames<SearchRow>({
  ...{ tenantId: true, id: true, endUser: true, bucket: true, candidates: true, signals: true, shown: true },
  ...{ createdAt: true, learnedFrom: true, irrelevant: true, feedbackAt: true },
  ...{ query: true, project: true, types: true, client: true, confidence: true },
});

export async function findLearned(reader: Reader, tenantId: string, endUser: string): Promise<LearnedRow | undefined> {
  return reader.get<LearnedRow>('SELECT * FROM learned WHERE tenantId = ? AND endUser = ?', [tenantId, endUser]);
}

/** Selects the users of a tenant, in order, after `afterUser`. */
export interface LearnedFilter {
  tenantId: string;
  user: string | undefined;
  afterUser: string;
  limit: number;
}

/** Learned states of a tenant's users, ordered by user. */
export async function listLearned(reader: Reader, filter: LearnedFilter): Promise<LearnedRow[]> {
  const { tenantId, user, afterUser, limit } = filter;
  return reader.all<LearnedRow>(
    `SELECT * FROM learned WHERE tenantId = ? AND endUser > ? ${user === undefined ? '' : 'AND endUser = ?'}
     ORDER BY endUser LIMIT ?`,
    [tenantId, afterUser, ...(user === undefined ? [] : [user]), limit],
  );
}

/** Returns the users that have a learned state. */
export async function findLearnedUsers(reader: Reader, tenantId: string, users: readonly string[]): Promise<string[]> {
  if (users.length === 0) return [];
  const padded = padToPowerOfTwo(users);
  const rows = await reader.all<{ endUser: string }>(
    `SELECT endUser FROM learned WHERE (tenantId, endUser) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap((user) => [tenantId, user]),
  );
  return rows.map(({ endUser }) => endUser);
}

/** What a user switched on or off. */
export type LearningSwitches = Pick<LearnedRow, 'usesWords' | 'infersUses'>;

/** Stores a state without changing what is switched on. */
export async function upsertLearned(
  connection: Connection,
  row: Omit<LearnedRow, keyof LearningSwitches>,
): Promise<void> {
  await connection.run(
    `INSERT INTO learned (tenantId, endUser, state, events, updatedAt) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tenantId, endUser) DO UPDATE SET state = excluded.state, events = excluded.events,
       updatedAt = excluded.updatedAt`,
    [row.tenantId, row.endUser, row.state, row.events, row.updatedAt],
  );
}

/** Stores what is switched on; `state` is that of a user without one. */
export async function upsertSwitches(connection: Connection, row: Omit<LearnedRow, 'events'>): Promise<void> {
  await connection.run(
    `INSERT INTO learned (tenantId, endUser, state, events, updatedAt, usesWords, infersUses)
     VALUES (?, ?, ?, 0, ?, ?, ?)
     ON CONFLICT (tenantId, endUser) DO UPDATE SET usesWords = excluded.usesWords, infersUses = excluded.infersUses`,
    [row.tenantId, row.endUser, row.state, row.updatedAt, row.usesWords, row.infersUses],
  );
}

export async function deleteLearned(connection: Connection, tenantId: string, endUser: string): Promise<void> {
  await connection.run('DELETE FROM learned WHERE tenantId = ? AND endUser = ?', [tenantId, endUser]);
  await connection.run('DELETE FROM learningDays WHERE tenantId = ? AND endUser = ?', [tenantId, endUser]);
}

/**
 * Stores searches, counts for each memory that they showed it to others than the web app, and adds what they said of
 * embedding models. Skips rows of tenants and users erased in the meantime, or being erased.
 */
export async function insertSearches(connection: Connection, rows: readonly AnsweredSearchRow[]): Promise<void> {
  const kept = await keepPresent(connection, rows);
  await insertRows(
    connection,
    `INSERT INTO searches (${SEARCH_COLUMNS.join(', ')})`,
    kept.map((row) => valuesOf(row, SEARCH_COLUMNS)),
    'ON CONFLICT DO NOTHING',
  );
  for (const tenantId of new Set(kept.map((row) => row.tenantId))) {
    const own = kept.filter((row) => row.tenantId === tenantId);
    const ids = own.filter(({ client }) => client !== WEB_APP_CLIENT).flatMap(shownIdsOf);
    await addMemoryUses(connection, { tenantId, ids, as: 'shown' });
    await addModelAgreements(
      connection,
      tenantId,
      own.flatMap(({ agreement }) => agreement ?? []),
    );
  }
}

async function keepPresent(
  connection: Connection,
  rows: readonly AnsweredSearchRow[],
): Promise<readonly AnsweredSearchRow[]> {
  const tenants = await connection.all<{ tenantId: string }>(
    'SELECT tenantId FROM tenants WHERE tenantId IN (SELECT value FROM texts(?)) AND erasedAt IS NULL',
    [JSON.stringify([...new Set(rows.map(({ tenantId }) => tenantId))])],
  );
  const padded = padToPowerOfTwo(rows);
  const users = await connection.all<{ tenantId: string; endUser: string; scope: number; erasedAt: number | null }>(
    `SELECT tenantId, endUser, scope, erasedAt FROM scopes
     WHERE (tenantId, endUser) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap(({ tenantId, endUser }) => [tenantId, endUser]),
  );
  const present = new Set(tenants.map(({ tenantId }) => tenantId));
  const keyOf = ({ tenantId, endUser }: Pick<SearchRow, 'tenantId' | 'endUser'>) => `${tenantId} ${endUser}`;
  const scopes = new Map(users.map((user) => [keyOf(user), user]));
  return rows.filter((row) => {
    const user = scopes.get(keyOf(row));
    const isSame = row.scope === undefined || row.scope === user?.scope;
    return present.has(row.tenantId) && isSame && (user?.erasedAt ?? null) === null;
  });
}

export async function findSearch(
  reader: Reader,
  tenantId: string,
  id: string,
  notBeforeMs: number,
): Promise<SearchRow | undefined> {
  return reader.get<SearchRow>('SELECT * FROM searches WHERE tenantId = ? AND id = ? AND createdAt > ?', [
    tenantId,
    id,
    notBeforeMs,
  ]);
}

/** Lists a tenant's newest searches without those of the web app, newest first. */
export async function listRecentSearches(
  reader: Reader,
  { tenantId, sinceMs, limit }: { tenantId: string; sinceMs: number; limit: number },
): Promise<SearchRow[]> {
  return reader.all<SearchRow>(
    `SELECT * FROM searches WHERE tenantId = ? AND createdAt >= ? AND COALESCE(client, '') <> ?
     ORDER BY id DESC LIMIT ?`,
    [tenantId, sinceMs, WEB_APP_CLIENT, limit],
  );
}

export async function updateLearnedFrom(
  connection: Connection,
  given: Pick<SearchRow, 'tenantId' | 'id' | 'learnedFrom' | 'irrelevant' | 'feedbackAt'>,
): Promise<void> {
  const { tenantId, id, learnedFrom, irrelevant, feedbackAt } = given;
  await connection.run(
    'UPDATE searches SET learnedFrom = ?, irrelevant = ?, feedbackAt = ? WHERE tenantId = ? AND id = ?',
    [learnedFrom, irrelevant, feedbackAt, tenantId, id],
  );
}

/** Deletes across all tenants; returns how many rows were deleted. */
export async function deleteSomeSearchesBefore(
  connection: Connection,
  beforeMs: number,
  limit: number,
): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM searches WHERE (tenantId, id) IN
       (SELECT tenantId, id FROM searches WHERE createdAt <= ? LIMIT ?)`,
    [beforeMs, limit],
  );
  return changes;
}

export async function deleteSomeSearchesOf(connection: Connection, owner: Owner, limit: number): Promise<number> {
  const own = erasedCondition(owner);
  const { changes } = await connection.run(
    `DELETE FROM searches WHERE tenantId = ? AND id IN
       (SELECT id FROM searches WHERE ${own.sql} LIMIT ?)`,
    [owner.tenantId, ...own.values, limit],
  );
  return changes;
}

export async function deleteSomeLearnedOf(connection: Connection, owner: Owner, limit: number): Promise<number> {
  const own = erasedCondition(owner);
  const learned = await connection.run(
    `DELETE FROM learned WHERE tenantId = ? AND endUser IN
       (SELECT endUser FROM learned WHERE ${own.sql} LIMIT ?)`,
    [owner.tenantId, ...own.values, limit],
  );
  const days = await connection.run(
    `DELETE FROM learningDays WHERE tenantId = ? AND (endUser, day) IN
       (SELECT endUser, day FROM learningDays WHERE ${own.sql} LIMIT ?)`,
    [owner.tenantId, ...own.values, limit],
  );
  return Math.max(learned.changes, days.changes);
}
