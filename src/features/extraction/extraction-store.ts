import type { Connection, Reader } from '../../db/connection.ts';

/** Ordinal up to which memories have been extracted from a conversation. */
export async function findThrough(reader: Reader, tenantId: string, conversationId: string): Promise<number> {
  const row = await reader.get<{ throughOrdinal: number }>(
    'SELECT throughOrdinal FROM extractions WHERE tenantId = ? AND conversationId = ?',
    [tenantId, conversationId],
  );
  return row?.throughOrdinal ?? 0;
}

export async function updateThrough(
  connection: Connection,
  { tenantId, conversationId }: { tenantId: string; conversationId: string },
  throughOrdinal: number,
): Promise<void> {
  await connection.run(
    `INSERT INTO extractions (tenantId, conversationId, throughOrdinal) VALUES (?, ?, ?)
     ON CONFLICT (tenantId, conversationId) DO UPDATE
       SET throughOrdinal = CASE WHEN excluded.throughOrdinal > extractions.throughOrdinal
         THEN excluded.throughOrdinal ELSE extractions.throughOrdinal END`,
    [tenantId, conversationId, throughOrdinal],
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

/** Lists due conversations of all tenants. */
export async function listDue(
  reader: Reader,
  nowMs: number,
  limit: number,
): Promise<{ tenantId: string; conversationId: string }[]> {
  return reader.all(
    'SELECT tenantId, conversationId FROM extractions WHERE dueAt <= ? AND dueAt IS NOT NULL ORDER BY dueAt LIMIT ?',
    [nowMs, limit],
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
