import type { Connection, Reader } from '../../db/connection.ts';

/** How far the memories of a tenant are compared with those like them. */
export interface Compared {
  tenantId: string;
  /** The last change of the log that was looked at. */
  changeNumber: number;
  /** While all memories are compared, the last one so far, in the order of ids; `null` afterwards. */
  afterId: string | null;
  /** While all memories are compared, about how many are left. */
  remaining: number;
}

/** Lists tenants with memories to compare after one, by their ids, with their progress: new tenants have none. */
export async function listTenantsToCompare(
  reader: Reader,
  afterTenantId: string,
  limit: number,
): Promise<
  { tenantId: string; last: number; changeNumber: number | null; afterId: string | null; remaining: number | null }[]
> {
  return reader.all(
    `SELECT t.tenantId, t.last, c.changeNumber, c.afterId, c.remaining FROM (
       SELECT tenantId, (SELECT l.number FROM changes l WHERE l.tenantId = p.tenantId ORDER BY l.number DESC LIMIT 1) AS last
         FROM tenants p WHERE p.tenantId > ? AND p.erasedAt IS NULL) t
       LEFT JOIN comparedMemories c ON c.tenantId = t.tenantId
     WHERE t.last IS NOT NULL AND (c.changeNumber IS NULL OR c.afterId IS NOT NULL OR c.changeNumber < t.last)
     ORDER BY t.tenantId LIMIT ?`,
    [afterTenantId, limit],
  );
}

export async function saveCompared(
  connection: Connection,
  { tenantId, changeNumber, afterId, remaining }: Compared,
): Promise<void> {
  await connection.run(
    `INSERT INTO comparedMemories (tenantId, changeNumber, afterId, remaining) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenantId) DO UPDATE SET changeNumber = excluded.changeNumber, afterId = excluded.afterId,
       remaining = excluded.remaining`,
    [tenantId, changeNumber, afterId, remaining],
  );
}

/** Counts the memories of a tenant after an id, superseded ones too. */
export async function countMemoriesAfter(reader: Reader, tenantId: string, afterId: string): Promise<number> {
  const row = await reader.get<{ memories: number }>(
    'SELECT COUNT(*) AS memories FROM memories WHERE tenantId = ? AND id > ? AND current = 1',
    [tenantId, afterId],
  );
  return row!.memories;
}

/** Counts what is not compared yet: changes of the log, and memories while all are compared. */
export async function countUncompared(reader: Reader, tenantId: string): Promise<number> {
  const row = await reader.get<{ left: number }>(
    `SELECT COALESCE(MAX(l.number), 0) - COALESCE(MAX(c.changeNumber), 0) + COALESCE(MAX(c.remaining), 0) AS "left"
     FROM (SELECT number FROM changes WHERE tenantId = ? ORDER BY number DESC LIMIT 1) l
       LEFT JOIN comparedMemories c ON c.tenantId = ?`,
    [tenantId, tenantId],
  );
  return Math.max(0, row!.left);
}

/** Lists memories in the order of their ids, superseded ones too. */
export async function listMemoryIdsAfter(
  reader: Reader,
  tenantId: string,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    'SELECT id FROM memories WHERE tenantId = ? AND id > ? AND current = 1 ORDER BY id LIMIT ?',
    [tenantId, afterId, limit],
  );
  return rows.map(({ id }) => id);
}

export async function deleteCompared(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM comparedMemories WHERE tenantId = ?', [tenantId]);
}

/** A change of the log, of a memory or of a conversation that got messages; all else has no kind. */
export interface ComparedChange {
  number: number;
  of: 'memory' | 'conversation' | null;
  itemId: string | null;
}

/** Lists changes of a tenant after a number, oldest first. */
export async function listChangesToCompare(
  reader: Reader,
  tenantId: string,
  after: number,
  limit: number,
): Promise<ComparedChange[]> {
  return reader.all(
    `SELECT number, itemId, CASE WHEN kind IN ('memory.created', 'memory.updated') THEN 'memory'
       WHEN kind = 'conversation.appended' THEN 'conversation' END AS "of" FROM changes
     WHERE tenantId = ? AND number > ? ORDER BY number LIMIT ?`,
    [tenantId, after, limit],
  );
}
