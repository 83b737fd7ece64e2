import type { ProjectFilter } from '../../contract/project.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows, projectConditions } from '../../db/values.ts';

/** How far memories have been extracted from a conversation: through a message, and of a long one after it, a part. */
export interface Through {
  throughOrdinal: number;
  partlyRead: string | null;
}

export const UNREAD: Through = { throughOrdinal: 0, partlyRead: null };

export async function findThrough(reader: Reader, tenantId: string, conversationId: string): Promise<Through> {
  const row = await reader.get<Through>(
    'SELECT throughOrdinal, partlyRead FROM extractions WHERE tenantId = ? AND conversationId = ?',
    [tenantId, conversationId],
  );
  return row ?? UNREAD;
}

/** Lists up to which ordinals memories have been extracted from conversations, where any were. */
export function listThrough(
  reader: Reader,
  tenantId: string,
  conversationIds: readonly string[],
): Promise<{ conversationId: string; throughOrdinal: number }[]> {
  return reader.all(
    `SELECT conversationId, throughOrdinal FROM extractions
     WHERE tenantId = ? AND conversationId IN (SELECT value FROM texts(?)) AND throughOrdinal > 0`,
    [tenantId, JSON.stringify(conversationIds)],
  );
}

/** Stores it for conversations of which nothing is stored. */
export async function insertThrough(
  connection: Connection,
  tenantId: string,
  extracted: readonly { conversationId: string; throughOrdinal: number }[],
): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO extractions (tenantId, conversationId, throughOrdinal)',
    extracted.map(({ conversationId, throughOrdinal }) => [tenantId, conversationId, throughOrdinal]),
    'ON CONFLICT DO NOTHING',
  );
}

/** Selects conversations of a user with messages after a time, from an id on. */
export interface UnreadFilter {
  tenantId: string;
  endUser: string;
  project: ProjectFilter | undefined;
  afterMs: number;
  fromId: string;
}

/**
 * Finds the first conversation, in the order of ids, with messages that memories were not extracted from, and that no job is
 * about to read.
 */
export async function findUnread(reader: Reader, filter: UnreadFilter): Promise<string | undefined> {
  const { tenantId, endUser, project, afterMs, fromId } = filter;
  const ofProject = projectConditions(project, 'c.project');
  const row = await reader.get<{ id: string }>(
    `SELECT c.id FROM conversations c
       LEFT JOIN extractions e ON e.tenantId = c.tenantId AND e.conversationId = c.id
     WHERE ${['c.tenantId = ? AND c.endUser = ? AND c.id >= ?', ...ofProject.map(([condition]) => condition)].join(' AND ')}
       AND c.lastMessageAt > ? AND c.erasedAt IS NULL AND c.lastOrdinal > COALESCE(e.throughOrdinal, 0)
       AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.tenantId = c.tenantId AND j.conversationId = c.id
         AND j.dryRun = 0 AND j.finishedAt IS NULL)
     ORDER BY c.id LIMIT 1`,
    [tenantId, endUser, fromId, ...ofProject.map(([, value]) => value), afterMs],
  );
  return row?.id;
}

/** Stores it, unless more was read already. */
export async function updateThrough(
  connection: Connection,
  { tenantId, conversationId }: { tenantId: string; conversationId: string },
  { throughOrdinal, partlyRead }: Through,
): Promise<void> {
  await connection.run(
    `INSERT INTO extractions (tenantId, conversationId, throughOrdinal, partlyRead) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenantId, conversationId) DO UPDATE
       SET throughOrdinal = excluded.throughOrdinal, partlyRead = excluded.partlyRead
       WHERE excluded.throughOrdinal >= extractions.throughOrdinal`,
    [tenantId, conversationId, throughOrdinal, partlyRead],
  );
}

/** Schedules a conversation, unless it is scheduled already. */
export async function updateDue(
  connection: Connection,
  { tenantId, id }: { tenantId: string; id: string },
  dueAt: number,
): Promise<void> {
  await connection.run(
    `INSERT INTO extractions (tenantId, conversationId, throughOrdinal, dueAt) VALUES (?, ?, 0, ?)
     ON CONFLICT (tenantId, conversationId) DO UPDATE SET dueAt = COALESCE(extractions.dueAt, excluded.dueAt)`,
    [tenantId, id, dueAt],
  );
}

export async function updateNotDue(connection: Connection, tenantId: string, conversationId: string): Promise<void> {
  await connection.run('UPDATE extractions SET dueAt = NULL WHERE tenantId = ? AND conversationId = ?', [
    tenantId,
    conversationId,
  ]);
}

/**
 * Lists due conversations, the first of each tenant before the second of any: one with thousands does not delay others. Those
 * past `latestMs` are due too: the clock was set back after they were scheduled.
 */
export async function listDue(
  reader: Reader,
  { nowMs, latestMs, limit }: { nowMs: number; latestMs: number; limit: number },
): Promise<{ tenantId: string; conversationId: string }[]> {
  return reader.all(
    `SELECT tenantId, conversationId FROM (SELECT tenantId, conversationId, dueAt,
         ROW_NUMBER() OVER (PARTITION BY tenantId ORDER BY dueAt, conversationId) AS place
       FROM extractions WHERE (dueAt <= ? OR dueAt > ?) AND dueAt IS NOT NULL) d
     ORDER BY place, dueAt LIMIT ?`,
    [nowMs, latestMs, limit],
  );
}

export async function deleteExtraction(
  connection: Connection,
  tenantId: string,
  conversationId: string,
): Promise<void> {
  await connection.run('DELETE FROM extractions WHERE tenantId = ? AND conversationId = ?', [tenantId, conversationId]);
}

export async function deleteExtractionsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM extractions WHERE tenantId = ?', [tenantId]);
}
