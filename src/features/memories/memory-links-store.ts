import type { Reader } from '../../db/connection.ts';
import { type MemoryRow, memoryRows } from './memory-row.ts';

/** Lists the memories of a user that were superseded by some others, newest first, without expired ones. */
export async function listSupersededBy(
  reader: Reader,
  { tenantId, endUser }: { tenantId: string; endUser: string },
  ids: readonly string[],
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<MemoryRow[]> {
  return memoryRows.all(
    reader,
    (columns) =>
      `SELECT ${columns} FROM texts(?) t
         CROSS JOIN memories m ON m.tenantId = ? AND m.supersededBy = t.value AND m.supersededBy IS NOT NULL
       WHERE m.current = 1 AND (m.endUser = ?) IS TRUE AND (m.expiresAt IS NULL OR m.expiresAt > ?)
       ORDER BY m.id DESC LIMIT ?`,
    [JSON.stringify(ids), tenantId, endUser, nowMs, limit],
  );
}
