import { changeAuthor } from '../../db/change-author.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { ROW_IDS_PER_CONVERSATION } from '../conversations/message-row.ts';

/** A logged change. Triggers write it in the transaction of the change. */
export interface ChangeRow {
  /** Counts the changes of the tenant without gaps. */
  number: number;
  /** Epoch milliseconds, by the clock of the database. */
  at: number;
  kind: string;
  itemId: string | null;
  /** The key of the user in the database, which outlives its name. */
  scope: number | null;
  endUser: string | null;
  /** The member of the space who made it, where that is known. */
  author: string | null;
}

/** Finds the number of the latest change of each tenant; omits tenants without changes. */
export async function findLastChanges(reader: Reader, tenantIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await reader.all<{ tenantId: string; last: number | null }>(
    // PostgreSQL finds a maximum behind row-level security by reading all of a tenant's rows, and the first by the index.
    `SELECT t.value AS tenantId,
       (SELECT c.number FROM changes c WHERE c.tenantId = t.value ORDER BY c.number DESC LIMIT 1) AS last
     FROM texts(?) t`,
    [JSON.stringify(tenantIds)],
  );
  return new Map(rows.flatMap(({ tenantId, last }) => (last === null ? [] : [[tenantId, last]])));
}

/** Finds when a change was made; `undefined` if it is no longer in the log. */
export async function findChangeAt(reader: Reader, tenantId: string, number: number): Promise<number | undefined> {
  const sql = 'SELECT at FROM changes WHERE tenantId = ? AND number = ?';
  return (await reader.get<{ at: number }>(sql, [tenantId, number]))?.at;
}

/** Finds the latest change of a tenant. */
export async function findLatestChange(
  reader: Reader,
  tenantId: string,
): Promise<Pick<ChangeRow, 'number' | 'at'> | undefined> {
  return reader.get('SELECT number, at FROM changes WHERE tenantId = ? ORDER BY number DESC LIMIT 1', [tenantId]);
}

/** Lists a tenant's changes after a number, oldest first. */
export async function listChanges(
  reader: Reader,
  tenantId: string,
  { after, limit }: { after: number; limit: number },
): Promise<ChangeRow[]> {
  return reader.all<ChangeRow>(
    `SELECT c.number, c.at, c.kind, c.itemId, c.scope, s.endUser, ${changeAuthor('c', ROW_IDS_PER_CONVERSATION)} AS author
     FROM changes c LEFT JOIN scopes s ON s.tenantId = c.tenantId AND s.scope = c.scope
     WHERE c.tenantId = ? AND c.number > ? ORDER BY c.number LIMIT ?`,
    [tenantId, after, limit],
  );
}

/** Lists tenants with changes that are due: those before the latest that are too old, or too many. */
export async function listTenantsToTrim(
  reader: Reader,
  { beforeMs, maxStored }: { beforeMs: number; maxStored: number },
): Promise<{ tenantId: string; last: number }[]> {
  return reader.all(
    `SELECT p.tenantId, p.last FROM (
       SELECT t.tenantId, (SELECT MIN(c.number) FROM changes c WHERE c.tenantId = t.tenantId) AS first,
         (SELECT c.number FROM changes c WHERE c.tenantId = t.tenantId ORDER BY c.number DESC LIMIT 1) AS last
         FROM tenants t) p
     WHERE p.first < p.last AND (p.last - p.first >= ?
       OR (SELECT c.at FROM changes c WHERE c.tenantId = p.tenantId AND c.number = p.first) < ?)`,
    [maxStored, beforeMs],
  );
}

/** Deletes those of a tenant's `limit` oldest changes that are older than a time or have a number up to `through`. */
export async function deleteSomeChanges(
  connection: Connection,
  { tenantId, beforeMs, through, last, limit }: ChangesToDelete,
): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM changes WHERE tenantId = ? AND number < ? AND (at < ? OR number <= ?) AND number IN
       (SELECT c.number FROM changes c WHERE c.tenantId = ? ORDER BY c.number LIMIT ?)`,
    [tenantId, last, beforeMs, through, tenantId, limit],
  );
  return changes;
}

export interface ChangesToDelete {
  tenantId: string;
  beforeMs: number;
  through: number;
  /** The number of the latest change, which stays. */
  last: number;
  limit: number;
}

/** Deletes some of a tenant's changes, the latest too. Returns how many. */
export async function deleteSomeChangesOf(connection: Connection, tenantId: string, limit: number): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM changes WHERE tenantId = ? AND number IN
       (SELECT c.number FROM changes c WHERE c.tenantId = ? ORDER BY c.number LIMIT ?)`,
    [tenantId, tenantId, limit],
  );
  return changes;
}
