import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows } from '../../db/values.ts';

/** One request. */
export interface ActivityRow {
  id: string;
  /** Epoch milliseconds. */
  at: number;
  client: string;
  transport: 'rest' | 'mcp';
  method: string;
  route: string;
  status: number;
  microseconds: number;
  /** Separated by spaces. */
  ids: string;
  /** Null for a request that an earlier version stored. */
  itemCount: number | null;
  searchId: string | null;
  /** The member who did it in a space. */
  author: string | null;
}

/** Times in epoch milliseconds. */
export interface ActivityFilter {
  client?: string | undefined;
  exceptClient?: string | undefined;
  transport?: 'rest' | 'mcp' | undefined;
  route?: string | undefined;
  /** The lowest and the highest status. */
  status?: readonly [number, number] | undefined;
  after?: number | undefined;
  before?: number | undefined;
}

const COLUMNS = 'id, at, client, transport, method, route, status, microseconds, ids, itemCount, searchId, author';

/** Finds how many requests each tenant has had. Omits tenants that are erased or being erased. */
export async function findLastSequences(reader: Reader, tenantIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await reader.all<{ tenantId: string; last: number | null }>(
    `SELECT t.tenantId,
       (SELECT a.sequence FROM activity a WHERE a.tenantId = t.tenantId ORDER BY a.sequence DESC LIMIT 1) AS last
     FROM tenants t WHERE t.tenantId IN (SELECT value FROM texts(?)) AND t.erasedAt IS NULL`,
    [JSON.stringify(tenantIds)],
  );
  return new Map(rows.map(({ tenantId, last }) => [tenantId, last ?? 0]));
}

/** Finds which of these addresses belong to an account. */
export async function findAddressesInUse(reader: Reader, emails: readonly string[]): Promise<Set<string>> {
  const rows = await reader.all<{ email: string }>(
    'SELECT email FROM tenants WHERE email IN (SELECT value FROM texts(?))',
    [JSON.stringify(emails)],
  );
  return new Set(rows.map(({ email }) => email));
}

/** Inserts requests of a tenant, the first with the number `sequence`. */
export async function insertActivity(
  connection: Connection,
  rows: readonly (ActivityRow & { tenantId: string; sequence: number })[],
): Promise<void> {
  await insertRows(
    connection,
    `INSERT INTO activity (tenantId, sequence, ${COLUMNS})`,
    rows.map((row) => [
      ...[row.tenantId, row.sequence, row.id, row.at, row.client, row.transport, row.method, row.route, row.status],
      ...[row.microseconds, row.ids, row.itemCount, row.searchId, row.author],
    ]),
  );
}

/** Deletes a tenant's requests up to this number. */
export async function deleteActivityThrough(connection: Connection, tenantId: string, sequence: number): Promise<void> {
  await connection.run('DELETE FROM activity WHERE tenantId = ? AND sequence <= ?', [tenantId, sequence]);
}

/** Lists a tenant's requests below `beforeSequence`, newest first. */
export async function listActivity(
  reader: Reader,
  tenantId: string,
  filter: ActivityFilter,
  { beforeSequence, limit }: { beforeSequence: number; limit: number },
): Promise<(ActivityRow & { sequence: number })[]> {
  const conditions = [
    { sql: 'client = ?', values: [filter.client] },
    { sql: 'client <> ?', values: [filter.exceptClient] },
    { sql: 'transport = ?', values: [filter.transport] },
    { sql: 'route = ?', values: [filter.route] },
    { sql: 'status BETWEEN ? AND ?', values: filter.status ?? [undefined] },
    { sql: 'at > ?', values: [filter.after] },
    { sql: 'at < ?', values: [filter.before] },
  ].filter(({ values }) => values[0] !== undefined);
  const and = conditions.map(({ sql }) => ` AND ${sql}`).join('');
  const values = conditions.flatMap((condition) => condition.values as (string | number)[]);
  return reader.all(
    `SELECT sequence, ${COLUMNS} FROM activity WHERE tenantId = ? AND sequence < ?${and}
     ORDER BY sequence DESC LIMIT ?`,
    [tenantId, beforeSequence, ...values, limit],
  );
}

/** The requests of a day, which counts from the epoch, with percentiles of their microseconds by the nearest rank. */
export interface ActivityDayRow {
  day: number;
  requests: number;
  p50: number;
  p95: number;
}

/** Requests that last as long as their client likes. */
const NOT_MEASURED = "route <> '/v1/events' AND (CAST(? AS TEXT) IS NULL OR client <> ?)";

/** Lists a tenant's days since `fromDay`, without those that have no requests. */
export async function listActivityDays(
  reader: Reader,
  tenantId: string,
  { fromDay, exceptClient = null }: { fromDay: number; exceptClient?: string | null | undefined },
): Promise<ActivityDayRow[]> {
  return reader.all<ActivityDayRow>(
    `SELECT day, MAX(requests) AS requests,
       MIN(CASE WHEN place * 2 >= requests THEN microseconds END) AS p50,
       MIN(CASE WHEN place * 20 >= requests * 19 THEN microseconds END) AS p95
     FROM (SELECT day, microseconds, COUNT(*) OVER (PARTITION BY day) AS requests,
         ROW_NUMBER() OVER (PARTITION BY day ORDER BY microseconds) AS place
       FROM (SELECT at / 86400000 AS day, microseconds FROM activity
         WHERE tenantId = ? AND at >= ? * CAST(86400000 AS BIGINT) AND ${NOT_MEASURED}) measured) placed
     GROUP BY day ORDER BY day`,
    [tenantId, fromDay, exceptClient, exceptClient],
  );
}

/** Lists a tenant's clients, the last seen first. */
export async function listActivityClients(
  reader: Reader,
  tenantId: string,
  { exceptClient = null, limit }: { exceptClient?: string | null | undefined; limit: number },
): Promise<{ client: string; transport: 'rest' | 'mcp'; requests: number; lastSeenAt: number }[]> {
  return reader.all(
    `SELECT client, transport, COUNT(*) AS requests, MAX(at) AS lastSeenAt FROM activity
     WHERE tenantId = ? AND ${NOT_MEASURED} GROUP BY client, transport
     ORDER BY lastSeenAt DESC, client, transport LIMIT ?`,
    [tenantId, exceptClient, exceptClient, limit],
  );
}

/** Lists tenants whose oldest request ended before this time. */
export async function listTenantsWithOld(reader: Reader, beforeMs: number): Promise<string[]> {
  const rows = await reader.all<{ tenantId: string }>(
    `SELECT t.tenantId FROM tenants t WHERE
       (SELECT a.at FROM activity a WHERE a.tenantId = t.tenantId ORDER BY a.sequence LIMIT 1) < ?`,
    [beforeMs],
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** Deletes those of a tenant's `limit` oldest requests that ended before this time. Returns how many. */
export async function deleteSomeOld(
  connection: Connection,
  { tenantId, beforeMs, limit }: { tenantId: string; beforeMs: number; limit: number },
): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM activity WHERE tenantId = ? AND at < ? AND sequence IN
       (SELECT a.sequence FROM activity a WHERE a.tenantId = ? ORDER BY a.sequence LIMIT ?)`,
    [tenantId, beforeMs, tenantId, limit],
  );
  return changes;
}

/** Deletes some of a tenant's requests. Returns how many. */
export async function deleteSomeActivityOf(connection: Connection, tenantId: string, limit: number): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM activity WHERE tenantId = ? AND sequence IN
       (SELECT a.sequence FROM activity a WHERE a.tenantId = ? ORDER BY a.sequence LIMIT ?)`,
    [tenantId, tenantId, limit],
  );
  return changes;
}
