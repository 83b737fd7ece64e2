import type { Connection, Reader } from '../../db/connection.ts';

/** How many searches showed a memory, and how many times it was reported as used. */
export interface MemoryUses {
  shown: number;
  used: number;
}

/** Counts each id once per occurrence; ids that are not of a stored memory are ignored. */
export async function addMemoryUses(
  connection: Connection,
  { tenantId, ids, as }: { tenantId: string; ids: readonly string[]; as: keyof MemoryUses },
): Promise<void> {
  if (ids.length === 0) return;
  const counts = as === 'shown' ? 'COUNT(*), 0' : '0, COUNT(*)';
  await connection.run(
    `INSERT INTO memoryUses (tenantId, memoryId, shown, used)
     SELECT CAST(? AS TEXT), t.value, ${counts} FROM texts(?) t
     WHERE EXISTS (SELECT 1 FROM memories m WHERE m.tenantId = ? AND m.id = t.value) GROUP BY t.value
     ON CONFLICT (tenantId, memoryId) DO UPDATE SET shown = memoryUses.shown + excluded.shown,
       used = memoryUses.used + excluded.used`,
    [tenantId, JSON.stringify(ids), tenantId],
  );
}

/** Finds the counts of those of the memories that were shown or used. */
export function findMemoryUses(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<(MemoryUses & { id: string })[]> {
  return reader.all(
    `SELECT u.memoryId AS id, u.shown, u.used FROM texts(?) t
     CROSS JOIN memoryUses u ON u.tenantId = ? AND u.memoryId = t.value`,
    [JSON.stringify([...new Set(ids)]), tenantId],
  );
}
