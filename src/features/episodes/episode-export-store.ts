import type { Reader } from '../../db/connection.ts';
import { padToPowerOfTwo, placeholders } from '../../db/values.ts';
import type { EpisodeRow } from './episode-row.ts';

/** What of a tenant is listed: behind `afterId`. */
export interface EpisodePlaceFilter {
  tenantId: string;
  user: string | undefined;
  afterId: string;
  limit: number;
}

/** Episodes in the order of their ids. */
export async function listAllEpisodes(reader: Reader, filter: EpisodePlaceFilter): Promise<EpisodeRow[]> {
  const { tenantId, user, afterId, limit } = filter;
  return reader.all<EpisodeRow>(
    `SELECT * FROM episodes WHERE tenantId = ? AND id > ? ${user === undefined ? '' : 'AND endUser = ?'}
     ORDER BY id LIMIT ?`,
    [tenantId, afterId, ...(user === undefined ? [] : [user]), limit],
  );
}

/** Of these episodes, the ids of those that are there. */
export async function findEpisodeIds(reader: Reader, tenantId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const padded = padToPowerOfTwo(ids);
  const rows = await reader.all<{ id: string }>(
    `SELECT id FROM episodes WHERE (tenantId, id) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap((id) => [tenantId, id]),
  );
  return rows.map(({ id }) => id);
}
