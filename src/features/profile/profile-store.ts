import type { Origin } from '../../contract/origin.ts';
import type { Reader } from '../../db/connection.ts';

/** The user to read, and the current time. */
export interface ProfileQuery {
  tenantId: string;
  endUser: string;
  nowMs: number;
}

/** The parts of a memory that the digest uses: `opening` is the beginning of the content. */
export interface RecentMemory {
  id: string;
  opening: string;
  /** 1 if pinned. */
  pinned: number;
  origin: Origin | null;
  /** Who wrote it, in a space. */
  author: string | null;
  at: number;
}

export interface RecentConversation {
  title: string | null;
  messageCount: number;
  at: number;
}

export interface RecentEpisode {
  title: string;
  at: number;
}

/** Lists valid memories, pinned ones first, then newest first; content is truncated to `characters`. */
export async function listRecentMemories(
  reader: Reader,
  { tenantId, endUser, nowMs }: ProfileQuery,
  characters: number,
  limit: number,
): Promise<RecentMemory[]> {
  const newest = (pinned: 0 | 1) =>
    `SELECT * FROM (
       SELECT id, substr(content, 1, ?) AS opening, pinned, origin, author, COALESCE(saidAt, occurredAt, createdAt) AS at FROM memories
       WHERE tenantId = ? AND endUser = ? AND pinned = ${pinned} AND current = 1 AND validTo IS NULL
         AND (expiresAt IS NULL OR expiresAt > ?)
       ORDER BY id DESC LIMIT ?) AS newest${pinned}`;
  const values = [characters, tenantId, endUser, nowMs, limit];
  // Both engines return the parts of UNION ALL in order, and read them in order too.
  return reader.all<RecentMemory>(`${newest(1)} UNION ALL ${newest(0)} LIMIT ?`, [...values, ...values, limit]);
}

/** Counts the valid memories of a user, at most `limit`. */
export async function countMemories(
  reader: Reader,
  { tenantId, endUser, nowMs }: ProfileQuery,
  limit: number,
): Promise<number> {
  const row = await reader.get<{ memories: number }>(
    `SELECT COUNT(*) AS memories FROM (SELECT 1 AS one FROM memories WHERE tenantId = ? AND endUser = ? AND current = 1
       AND validTo IS NULL AND (expiresAt IS NULL OR expiresAt > ?) LIMIT ?) m`,
    [tenantId, endUser, nowMs, limit],
  );
  return row!.memories;
}

/** Finds those of some memories of a user that are valid; content is truncated to `characters`. */
export async function findValidMemories(
  reader: Reader,
  { tenantId, endUser, nowMs }: ProfileQuery,
  ids: readonly string[],
  characters: number,
): Promise<RecentMemory[]> {
  return reader.all<RecentMemory>(
    `SELECT m.id, substr(m.content, 1, ?) AS opening, m.pinned, m.origin, m.author, COALESCE(m.saidAt, m.occurredAt, m.createdAt) AS at
     FROM texts(?) t CROSS JOIN memories m ON m.tenantId = ? AND m.id = t.value
     WHERE m.current = 1 AND m.validTo IS NULL AND (m.endUser = ?) IS TRUE AND (m.expiresAt IS NULL OR m.expiresAt > ?)`,
    [characters, JSON.stringify(ids), tenantId, endUser, nowMs],
  );
}

/** What a memory took the place of. */
export interface Replaced {
  supersededBy: string;
  opening: string;
}

/** Lists what some memories of a user took the place of, newest first. */
export async function listReplaced(
  reader: Reader,
  { tenantId, endUser, nowMs }: ProfileQuery,
  ids: readonly string[],
  characters: number,
): Promise<Replaced[]> {
  return reader.all<Replaced>(
    `SELECT m.supersededBy, substr(m.content, 1, ?) AS opening FROM texts(?) t
       CROSS JOIN memories m ON m.tenantId = ? AND m.supersededBy = t.value AND m.supersededBy IS NOT NULL
     WHERE m.current = 1 AND (m.endUser = ?) IS TRUE AND (m.expiresAt IS NULL OR m.expiresAt > ?) ORDER BY m.id DESC`,
    [characters, JSON.stringify(ids), tenantId, endUser, nowMs],
  );
}

export async function listRecentConversations(
  reader: Reader,
  { tenantId, endUser }: ProfileQuery,
  limit: number,
): Promise<RecentConversation[]> {
  return reader.all<RecentConversation>(
    `SELECT title, messageCount, COALESCE(lastMessageAt, createdAt) AS at FROM conversations
     WHERE tenantId = ? AND endUser = ? AND erasedAt IS NULL ORDER BY id DESC LIMIT ?`,
    [tenantId, endUser, limit],
  );
}

export async function listRecentEpisodes(
  reader: Reader,
  { tenantId, endUser }: ProfileQuery,
  limit: number,
): Promise<RecentEpisode[]> {
  return reader.all<RecentEpisode>(
    'SELECT title, endedAt AS at FROM episodes WHERE tenantId = ? AND endUser = ? ORDER BY id DESC LIMIT ?',
    [tenantId, endUser, limit],
  );
}
