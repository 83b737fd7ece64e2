import type { Origin } from '../../contract/origin.ts';
import type { Reader } from '../../db/connection.ts';

/** The user to read, and the current time. */
export interface ProfileQuery {
  tenantId: string;
  endUser: string;
  nowMs: number;
}

/** The parts of a memory that the digest uses: `tags` as JSON, `opening` the beginning of the content. */
export interface RecentMemory {
  id: string;
  opening: string;
  tags: string;
  /** 1 if pinned. */
  pinned: number;
  origin: Origin | null;
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
       SELECT id, substr(content, 1, ?) AS opening, tags, pinned, origin, COALESCE(occurredAt, createdAt) AS at FROM memories
       WHERE tenantId = ? AND endUser = ? AND pinned = ${pinned} AND current = 1 AND validTo IS NULL
         AND (expiresAt IS NULL OR expiresAt > ?)
       ORDER BY id DESC LIMIT ?) AS newest${pinned}`;
  const values = [characters, tenantId, endUser, nowMs, limit];
  // Both engines return the parts of UNION ALL in order, and read them in order too.
  return reader.all<RecentMemory>(`${newest(1)} UNION ALL ${newest(0)} LIMIT ?`, [...values, ...values, limit]);
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
