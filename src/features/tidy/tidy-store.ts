import type { ProjectFilter } from '../../contract/project.ts';
import type { Reader } from '../../db/connection.ts';
import { projectConditions } from '../../db/project-conditions.ts';

/** Selects the valid memories of a user, optionally those of a project or of none. */
export interface TidyFilter {
  tenantId: string;
  endUser: string;
  project: ProjectFilter | undefined;
  nowMs: number;
}

/** Lists valid memories after an id, in the order of ids. */
export async function listIdsToTidy(
  reader: Reader,
  filter: TidyFilter,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<string[]> {
  const { sql, values } = conditionsOf(filter);
  const rows = await reader.all<{ id: string }>(`SELECT id FROM memories WHERE ${sql} AND id > ? ORDER BY id LIMIT ?`, [
    ...values,
    afterId,
    limit,
  ]);
  return rows.map(({ id }) => id);
}

function conditionsOf({ tenantId, endUser, project, nowMs }: TidyFilter) {
  const ofProject = projectConditions(project, 'project');
  return {
    sql: [
      'tenantId = ? AND endUser = ? AND current = 1 AND validTo IS NULL AND (expiresAt IS NULL OR expiresAt > ?)',
      ...ofProject.map(([condition]) => condition),
    ].join(' AND '),
    values: [tenantId, endUser, nowMs, ...ofProject.map(([, value]) => value)],
  };
}
