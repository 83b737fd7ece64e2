import type { Reader } from '../../db/connection.ts';
import type { SearchRow } from './learning-store.ts';

/** A stored search without its signals. */
export type StoredSearchRow = Omit<SearchRow, 'tenantId' | 'signals' | 'feedbackAt'>;

const COLUMNS =
  'id, endUser, bucket, candidates, shown, createdAt, learnedFrom, irrelevant, query, project, types, client, confidence';

/** Filters of a tenant's searches: those of a user, older than another one, not of a client. */
interface StoredSearchFilter {
  user: string | undefined;
  beforeId: string | undefined;
  exceptClient: string | undefined;
}

/** Lists searches of a tenant since a time, newest first. */
export async function listStoredSearches(
  reader: Reader,
  { tenantId, sinceMs, limit, ...filter }: StoredSearchFilter & { tenantId: string; sinceMs: number; limit: number },
): Promise<StoredSearchRow[]> {
  const conditions = [
    { sql: 'endUser = ?', value: filter.user },
    { sql: 'id < ?', value: filter.beforeId },
    { sql: "COALESCE(client, '') <> ?", value: filter.exceptClient },
  ].filter(({ value }) => value !== undefined);
  return reader.all<StoredSearchRow>(
    `SELECT ${COLUMNS} FROM searches WHERE tenantId = ? ${conditions.map(({ sql }) => `AND ${sql} `).join('')}
     AND (createdAt > ?) IS TRUE ORDER BY id DESC LIMIT ?`,
    [tenantId, ...conditions.map(({ value }) => value!), sinceMs, limit],
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
