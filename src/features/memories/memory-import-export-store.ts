import type { Connection, Reader } from '../../db/connection.ts';
import { padToPowerOfTwo, placeholders } from '../../db/values.ts';
import type { MemoryRow } from './memory-row.ts';

/** The position of a version in an export, which is ordered by id and version. */
interface VersionKey {
  id: string;
  version: number;
}

/** Selects a page of a tenant's versions after `after`, without those of expired memories. */
export interface VersionFilter {
  tenantId: string;
  user: string | undefined;
  after: VersionKey;
  nowMs: number;
  limit: number;
}

export type ListedVersion = MemoryRow & { supersederExpired: number };

/** Lists versions by id and version; `supersederExpired` is 1 if the memory that superseded it has expired. */
export async function listAllVersions(reader: Reader, filter: VersionFilter): Promise<ListedVersion[]> {
  const { tenantId, user, after, nowMs, limit } = filter;
  const ofUser = user === undefined ? '' : 'AND m.endUser = ?';
  const expired = (id: string) => `EXISTS (SELECT 1 FROM memories c WHERE c.tenantId = m.tenantId AND c.id = ${id}
    AND c.current = 1 AND c.expiresAt IS NOT NULL AND c.expiresAt <= ?)`;
  return reader.all<ListedVersion>(
    `SELECT m.*, CASE WHEN m.supersededBy IS NOT NULL AND ${expired('m.supersededBy')} THEN 1 ELSE 0 END
       AS supersederExpired FROM memories m
     WHERE m.tenantId = ? AND (m.id, m.version) > (?, ?) ${ofUser} AND NOT ${expired('m.id')}
     ORDER BY m.id, m.version LIMIT ?`,
    [nowMs, tenantId, after.id, after.version, ...(user === undefined ? [] : [user]), nowMs, limit],
  );
}

/** Finds the current versions of the given ids, even if they have expired. */
export async function findPresent(
  reader: Reader,
  tenantId: string,
  ids: readonly string[],
): Promise<Pick<MemoryRow, 'id' | 'expiresAt' | 'contentHash' | 'updatedAt'>[]> {
  if (ids.length === 0) return [];
  const padded = padToPowerOfTwo(ids);
  return reader.all(
    `SELECT id, expiresAt, contentHash, updatedAt FROM memories WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})
     AND current = 1`,
    padded.flatMap((id) => [tenantId, id]),
  );
}

/** Replaces the ids that `supersededBy` names by others, or by `null`. */
export async function updateSuccessors(
  connection: Connection,
  tenantId: string,
  successors: ReadonlyMap<string, string | null>,
): Promise<void> {
  const ids = JSON.stringify([...successors.keys()]);
  await connection.run(
    `UPDATE memories SET supersededBy = (SELECT s.value FROM texts(?) i CROSS JOIN texts(?) s ON s.key = i.key
       WHERE i.value = memories.supersededBy)
     WHERE tenantId = ? AND supersededBy IN (SELECT value FROM texts(?))`,
    [ids, JSON.stringify([...successors.values()]), tenantId, ids],
  );
}
