import type { Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { listPlaceholders, padToPowerOfTwo } from '../../db/values.ts';

/** A tenant's total of stored bytes, which triggers keep, and the tier that limits it. */
export interface StorageRow {
  tenantId: string;
  tier: Tier;
  storedBytes: number;
}

/** Finds the totals by tenant. Omits tenants that are erased or being erased. */
export async function findStorage(reader: Reader, tenantIds: readonly string[]): Promise<Map<string, StorageRow>> {
  const padded = padToPowerOfTwo(tenantIds);
  const rows = await reader.all<StorageRow>(
    `SELECT tenantId, tier, storedBytes FROM tenants
     WHERE tenantId IN (${listPlaceholders(padded.length)}) AND erasedAt IS NULL`,
    padded,
  );
  return new Map(rows.map((row) => [row.tenantId, row]));
}

/** Lists tenants whose total differs from the sum of their rows. */
export async function listWrongTotals(
  connection: Connection,
  limit: number,
): Promise<{ tenantId: string; storedBytes: number; bytes: number }[]> {
  const rows = ['memories', 'conversations', 'messages', 'episodes'];
  const counted = rows.map((table) => `SELECT tenantId, bytes FROM ${table}`).join(' UNION ALL ');
  return connection.all(
    `SELECT t.tenantId, t.storedBytes, COALESCE(s.bytes, 0) AS bytes FROM tenants t
     LEFT JOIN (SELECT tenantId, SUM(bytes) AS bytes FROM (${counted}) AS counted GROUP BY tenantId) s
       ON s.tenantId = t.tenantId
     WHERE t.storedBytes <> COALESCE(s.bytes, 0) LIMIT ?`,
    [limit],
  );
}
