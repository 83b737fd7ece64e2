import type { Connection, Reader } from '../../db/connection.ts';
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

/** What each tenant used of both quotas: memories on `day`, queries from `monthStart` to `day`. */
export async function findUsed(
  reader: Reader,
  tenantIds: string[],
  { day, monthStart }: { day: string; monthStart: string },
): Promise<Map<string, { memories: number; queries: number }>> {
  const padded = padToPowerOfTwo(tenantIds);
  const rows = await reader.all<{ tenantId: string; memories: number; queries: number }>(
    `SELECT tenantId, SUM(CASE WHEN day = ? THEN memories ELSE 0 END) AS memories, SUM(queries) AS queries
     FROM usageDays WHERE tenantId IN (${listPlaceholders(padded.length)}) AND day >= ? AND day <= ? GROUP BY tenantId`,
    [day, ...padded, monthStart, day],
  );
  return new Map(rows.map((row) => [row.tenantId, row]));
}

/** Adds to the tenants' days; each (tenant, day) at most once in `deltas`. */
export async function addUsage(connection: Connection, deltas: UsageDelta[]): Promise<void> {
  await insertRows(
    connection,
    'INSERT INTO usageDays (tenantId, day, requests, memories, queries)',
    deltas.map(({ tenantId, day, requests, memories, queries }) => [tenantId, day, requests, memories, queries]),
    `ON CONFLICT (tenantId, day) DO UPDATE SET requests = usageDays.requests + excluded.requests,
       memories = usageDays.memories + excluded.memories, queries = usageDays.queries + excluded.queries`,
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
