import type { Reader } from '../../db/connection.ts';
import { padToPowerOfTwo, placeholders } from '../../db/values.ts';
import type { EpisodeRow } from './episode-row.ts';

/** Selects a page of a tenant's episodes after `afterId`. */
export interface EpisodeExportFilter {
  tenantId: string;
  user: string | undefined;
  afterId: string;
  limit: number;
}

/** Lists episodes ordered by id. */
export async function listAllEpisodes(reader: Reader, filter: EpisodeExportFilter): Promise<EpisodeRow[]> {
  const { tenantId, user, afterId, limit } = filter;
  return reader.all<EpisodeRow>(
    `SELECT * FROM episodes WHERE tenantId = ? AND id > ? ${user === undefined ? '' : 'AND endUser = ?'}
     ORDER BY id LIMIT ?`,
    [tenantId, afterId, ...(user === undefined ? [] : [user]), limit],
  );
}

/** Returns those of the given ids that exist. */
export async function findEpisodeIds(reader: Reader, tenantId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const padded = padToPowerOfTwo(ids);
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM episodes WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap((id) => [tenantId, id]),
  );
  return rows.map(({ id }) => id);
}
