import type { Reader } from '../../db/connection.ts';
import type { SearchRow } from './learning-store.ts';

/** A stored search without its signals. */
export type StoredSearchRow = Omit<SearchRow, 'tenantId' | 'signals' | 'feedbackAt'>;

const COLUMNS = 'id, endUser, bucket, candidates, shown, createdAt, learnedFrom, irrelevant, query, project, types';

/** Lists searches of a tenant or of one of its users since a time, newest first. */
export async function listStoredSearches(
  reader: Reader,
  {
    tenantId,
    user,
    beforeId,
    sinceMs,
    limit,
  }: { tenantId: string; user: string | undefined; beforeId: string | undefined; sinceMs: number; limit: number },
): Promise<StoredSearchRow[]> {
  return reader.all<StoredSearchRow>(
    `SELECT ${COLUMNS} FROM searches WHERE tenantId = ? ${user === undefined ? '' : 'AND endUser = ?'}
     ${beforeId === undefined ? '' : 'AND id < ?'} AND (createdAt > ?) IS TRUE ORDER BY id DESC LIMIT ?`,
    [tenantId, ...(user === undefined ? [] : [user]), ...(beforeId === undefined ? [] : [beforeId]), sinceMs, limit],
  );
}

export async function findStoredSearch(
  reader: Reader,
  { tenantId, id, sinceMs }: { tenantId: string; id: string; sinceMs: number },
): Promise<StoredSearchRow | undefined> {
  return reader.get<StoredSearchRow>(
    `SELECT ${COLUMNS} FROM searches WHERE tenantId = ? AND id = ? AND createdAt > ?`,
    [tenantId, id, sinceMs],
  );
}
