import type { Tier } from '../../contract/limits.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { toStay } from '../../db/transactions.ts';
import { insertRows, listPlaceholders, padToPowerOfTwo } from '../../db/values.ts';

export interface UsageDay {
  day: string;
  requests: number;
  memories: number;
  queries: number;
}

export interface UsageDelta extends UsageDay {
  tenantId: string;
}

/**
 * Finds each tenant's usage of both quotas: memories on `day`, queries from `monthStart` to `day`. Omits tenants that are
 * erased or being erased.
 */
export async function findUsed(
  reader: Reader,
  tenantIds: string[],
  { day, monthStart }: { day: string; monthStart: string },
): Promise<Map<string, { memories: number; queries: number }>> {
  const padded = padToPowerOfTwo(tenantIds);
  const rows = await reader.all<{ tenantId: string; memories: number; queries: number }>(
    `SELECT t.tenantId, COALESCE(SUM(CASE WHEN u.day = ? THEN u.memories ELSE 0 END), 0) AS memories,
       COALESCE(SUM(u.queries), 0) AS queries
     FROM tenants t LEFT JOIN usageDays u ON u.tenantId = t.tenantId AND u.day >= ? AND u.day <= ?
     WHERE t.tenantId IN (${listPlaceholders(padded.length)}) AND t.erasedAt IS NULL GROUP BY t.tenantId`,
    [day, monthStart, day, ...padded],
  );
  return new Map(rows.map((row) => [row.tenantId, row]));
}

/** Adds to daily usage; `deltas` holds each (tenant, day) at most once. Drops deltas of erased tenants. */
export async function addUsage(connection: Connection, deltas: UsageDelta[]): Promise<void> {
  await insertRows(
    connection,
    `INSERT INTO usageDays (tenantId, day, requests, memories, queries)
     SELECT column1, column2, CAST(column3 AS BIGINT), CAST(column4 AS BIGINT), CAST(column5 AS BIGINT) FROM (`,
    deltas.map(({ tenantId, day, requests, memories, queries }) => [tenantId, day, requests, memories, queries]),
    `) AS given WHERE EXISTS
       (SELECT 1 FROM tenants t WHERE t.tenantId = column1 AND t.erasedAt IS NULL ${toStay(connection.engine)})
     ON CONFLICT (tenantId, day) DO UPDATE SET requests = usageDays.requests + excluded.requests,
       memories = usageDays.memories + excluded.memories, queries = usageDays.queries + excluded.queries`,
  );
}

/** Subtracts one query from the last day that has any, even if midnight has passed since it was counted. */
export async function updateQueryRefunded(connection: Connection, tenantId: string): Promise<void> {
  await connection.run(
    `UPDATE usageDays SET queries = queries - 1 WHERE tenantId = ? AND day =
       (SELECT MAX(day) FROM usageDays WHERE tenantId = ? AND queries > 0)`,
    [tenantId, tenantId],
  );
}

export async function listUsageDays(reader: Reader, tenantId: string, fromDay: string): Promise<UsageDay[]> {
  return reader.all<UsageDay>(
    'SELECT day, requests, memories, queries FROM usageDays WHERE tenantId = ? AND day >= ? ORDER BY day',
    [tenantId, fromDay],
  );
}

export async function deleteUsageOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM usageDays WHERE tenantId = ?', [tenantId]);
}

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
