import type { Reader } from '../../db/connection.ts';

/** Whose things are looked at, and when. */
export interface ProfilePlace {
  tenantId: string;
  endUser: string;
  nowMs: number;
}

/** A memory as the digest needs it; `tags` is JSON, `opening` the first characters of its content. */
export interface RecentMemory {
  id: string;
  opening: string;
  tags: string;
  /** 1 if it is pinned. */
  pinned: number;
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

/** Memories that are valid now, the pinned before the others, each newest first; content cut to `characters`. */
export async function listRecentMemories(
  reader: Reader,
  { tenantId, endUser, nowMs }: ProfilePlace,
  characters: number,
  limit: number,
): Promise<RecentMemory[]> {
  const newest = (pinned: 0 | 1) =>
    `SELECT * FROM (
       SELECT id, substr(content, 1, ?) AS opening, tags, pinned, COALESCE(occurredAt, createdAt) AS at FROM memories
       WHERE tenantId = ? AND endUser = ? AND pinned = ${pinned} AND current = 1 AND validTo IS NULL
         AND (expiresAt IS NULL OR expiresAt > ?)
       ORDER BY id DESC LIMIT ?) AS newest${pinned}`;
  const values = [characters, tenantId, endUser, nowMs, limit];
  return reader.all<RecentMemory>(`${newest(1)} UNION ALL ${newest(0)} LIMIT ?`, [...values, ...values, limit]);
}

export async function listRecentConversations(
  reader: Reader,
  { tenantId, endUser }: ProfilePlace,
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
  { tenantId, endUser }: ProfilePlace,
  limit: number,
): Promise<RecentEpisode[]> {
  return reader.all<RecentEpisode>(
    'SELECT title, endedAt AS at FROM episodes WHERE tenantId = ? AND endUser = ? ORDER BY id DESC LIMIT ?',
    [tenantId, endUser, limit],
  );
}
