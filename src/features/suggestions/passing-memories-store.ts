import type { Connection, Reader } from '../../db/connection.ts';

/** When to look at a memory again, because the time that it states has passed by then. */
export interface PassingMemory {
  tenantId: string;
  memoryId: string;
  /** Epoch milliseconds. */
  dueAt: number;
}

/** Stores when to look at a memory again, in place of what was stored before. */
export async function savePassing(connection: Connection, { tenantId, memoryId, dueAt }: PassingMemory): Promise<void> {
  // The memory may have been erased since it was read.
  await connection.run(
    `INSERT INTO passingMemories (tenantId, memoryId, dueAt)
       SELECT ?, ?, ? WHERE EXISTS (SELECT 1 FROM memories WHERE tenantId = ? AND id = ? AND current = 1)
     ON CONFLICT (tenantId, memoryId) DO UPDATE SET dueAt = excluded.dueAt`,
    [tenantId, memoryId, dueAt, tenantId, memoryId],
  );
}

/** Forgets when to look at a memory again. */
export async function deletePassing(connection: Connection, tenantId: string, memoryId: string): Promise<void> {
  await connection.run('DELETE FROM passingMemories WHERE tenantId = ? AND memoryId = ?', [tenantId, memoryId]);
}

/** Finds when a memory is to be looked at again. */
export async function findPassing(
  reader: Reader,
  tenantId: string,
  memoryId: string,
): Promise<{ dueAt: number } | undefined> {
  return reader.get('SELECT dueAt FROM passingMemories WHERE tenantId = ? AND memoryId = ?', [tenantId, memoryId]);
}

/** Lists memories of all tenants that are due, after one of them; the longest due first. */
export async function listPassed(
  reader: Reader,
  nowMs: number,
  after: PassingMemory | undefined,
  limit: number,
): Promise<PassingMemory[]> {
  const { dueAt, tenantId, memoryId } = after ?? { dueAt: 0, tenantId: '', memoryId: '' };
  return reader.all(
    `SELECT tenantId, memoryId, dueAt FROM passingMemories
     WHERE dueAt <= ? AND (dueAt, tenantId, memoryId) > (?, ?, ?) ORDER BY dueAt, tenantId, memoryId LIMIT ?`,
    [nowMs, dueAt, tenantId, memoryId, limit],
  );
}

/** Forgets when to look at memories of a tenant again. */
export async function deletePassingOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM passingMemories WHERE tenantId = ?', [tenantId]);
}
