import type { Reader } from '../../db/connection.ts';

/** An end user with counts, and the times of the oldest and the latest item of each kind. */
export interface UserRow {
  scope: number;
  endUser: string;
  memories: number;
  conversations: number;
  messages: number;
  episodes: number;
  firstMemoryAt: number | null;
  lastMemoryAt: number | null;
  firstConversationAt: number | null;
  lastConversationAt: number | null;
  firstEpisodeAt: number | null;
  lastEpisodeAt: number | null;
}

/** Memories are counted in the index of valid contents; the few that have expired are found by their expiry. */
const MEMORIES = `(SELECT COUNT(*) FROM memories m
    WHERE m.tenantId = p.tenantId AND m.endUser = p.endUser AND m.current = 1 AND m.validTo IS NULL)
  - (SELECT COUNT(*) FROM memories m WHERE m.expiresAt IS NOT NULL AND m.expiresAt <= ? AND m.current = 1
    AND m.validTo IS NULL AND (m.tenantId = p.tenantId) IS TRUE AND (m.endUser = p.endUser) IS TRUE)`;

/** The time of creation of a user's first or last row by id. */
const createdAtOf = (table: 'memories' | 'episodes', order: 'ASC' | 'DESC') =>
  `(SELECT i.createdAt FROM ${table} i WHERE i.tenantId = p.tenantId AND i.endUser = p.endUser
    ORDER BY i.id ${order} LIMIT 1)`;

/** `page` selects rows of `scopes`. */
const statement = (page: string) => `WITH p AS (${page}),
  t AS (SELECT p.scope, COUNT(*) AS conversations, SUM(c.messageCount) AS messages, MIN(c.createdAt) AS firstAt,
      MAX(c.updatedAt) AS lastAt
    FROM p CROSS JOIN conversations c ON c.tenantId = p.tenantId AND c.endUser = p.endUser
    WHERE c.erasedAt IS NULL GROUP BY p.scope)
  SELECT p.scope, p.endUser, ${MEMORIES} AS memories,
    COALESCE(t.conversations, 0) AS conversations, COALESCE(t.messages, 0) AS messages,
    (SELECT COUNT(*) FROM episodes e WHERE e.tenantId = p.tenantId AND e.endUser = p.endUser) AS episodes,
    ${createdAtOf('memories', 'ASC')} AS firstMemoryAt, ${createdAtOf('memories', 'DESC')} AS lastMemoryAt,
    t.firstAt AS firstConversationAt, t.lastAt AS lastConversationAt,
    ${createdAtOf('episodes', 'ASC')} AS firstEpisodeAt, ${createdAtOf('episodes', 'DESC')} AS lastEpisodeAt
  FROM p LEFT JOIN t ON t.scope = p.scope ORDER BY p.scope DESC`;

const LIST = statement(`SELECT scope, tenantId, endUser FROM scopes
  WHERE tenantId = ? AND scope < ? AND erasedAt IS NULL ORDER BY scope DESC LIMIT ?`);
const FIND = statement(
  'SELECT scope, tenantId, endUser FROM scopes WHERE tenantId = ? AND endUser = ? AND erasedAt IS NULL',
);

/** `updatedAt` is positive in every row: with the condition, SQLite takes the indexes for this statement alone. */
const updatedAtOf = (table: 'memories' | 'episodes', condition: string) =>
  `(SELECT i.updatedAt FROM ${table} i WHERE i.tenantId = ? AND i.endUser = ? AND i.updatedAt > 0 ${condition}
    ORDER BY i.updatedAt DESC LIMIT 1)`;

const LATEST_CHANGES = `SELECT ${updatedAtOf('memories', 'AND i.current = 1')} AS memoryUpdatedAt,
  ${updatedAtOf('episodes', '')} AS episodeUpdatedAt`;

/** Lists users by the time at which they were first stored, latest first, without those being erased. */
export async function listUsers(
  reader: Reader,
  { tenantId, beforeScope, nowMs, limit }: { tenantId: string; beforeScope: number; nowMs: number; limit: number },
): Promise<UserRow[]> {
  return reader.all<UserRow>(LIST, [tenantId, beforeScope, limit, nowMs]);
}

/** Finds a user that is not being erased. */
export async function findUser(
  reader: Reader,
  { tenantId, endUser }: { tenantId: string; endUser: string },
  nowMs: number,
): Promise<UserRow | undefined> {
  return reader.get<UserRow>(FIND, [tenantId, endUser, nowMs]);
}

/** Finds when memories and episodes of a user last changed. */
export async function findLatestChanges(
  reader: Reader,
  { tenantId, endUser }: { tenantId: string; endUser: string },
): Promise<{ memoryUpdatedAt: number | null; episodeUpdatedAt: number | null } | undefined> {
  return reader.get(LATEST_CHANGES, [tenantId, endUser, tenantId, endUser]);
}
