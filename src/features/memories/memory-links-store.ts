import type { Reader } from '../../db/connection.ts';
import type { MemoryRow } from './memory-row.ts';

/** Lists the memories of a user that were superseded by some others, newest first, without expired ones. */
export async function listSupersededBy(
  reader: Reader,
  { tenantId, endUser }: { tenantId: string; endUser: string },
  ids: readonly string[],
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<MemoryRow[]> {
  return reader.all<MemoryRow>(
    `SELECT * FROM memories WHERE tenantId = ? AND supersededBy IS NOT NULL AND supersededBy IN (SELECT value FROM texts(?))
       AND current = 1 AND endUser = ? AND (expiresAt IS NULL OR expiresAt > ?) ORDER BY id DESC LIMIT ?`,
    [tenantId, JSON.stringify(ids), endUser, nowMs, limit],
  );
}
