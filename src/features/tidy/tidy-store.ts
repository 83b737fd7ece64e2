import { type ProjectFilter, projectFilterOf } from '../../contract/project.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { erasedCondition, type Owner } from '../../db/owner.ts';
import { projectConditions } from '../../db/values.ts';

/** Whose memories are tidied: those of a user, or of a project and of none, or those of them that changed. */
export interface TidyOwner {
  tenantId: string;
  user: string;
  project: string | undefined;
  /** Only memories that changed after this, beside their neighbors. */
  changedAfterMs?: number | undefined;
}

/** Selects the valid memories of a user, optionally those of a project or of none. */
export interface TidyFilter {
  tenantId: string;
  endUser: string;
  project: ProjectFilter | undefined;
  /** Only memories that changed after this. */
  changedAfterMs: number | undefined;
  nowMs: number;
}

/** Makes the filter for the memories of a user, or those of a project and of none. */
export function tidyFilterOf({ tenantId, user, project, changedAfterMs }: TidyOwner, nowMs: number): TidyFilter {
  return { tenantId, endUser: user, project: projectFilterOf({ project }, ''), changedAfterMs, nowMs };
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

/** Counts the valid memories. */
export async function countToTidy(reader: Reader, filter: TidyFilter): Promise<number> {
  const { sql, values } = conditionsOf(filter);
  const row = await reader.get<{ total: number }>(`SELECT COUNT(*) AS total FROM memories WHERE ${sql}`, values);
  return row!.total;
}

/** Whether a memory of a user was added or changed after a time. */
export async function isChangedSince(
  reader: Reader,
  { tenantId, endUser, sinceMs }: { tenantId: string; endUser: string; sinceMs: number },
): Promise<boolean> {
  const row = await reader.get(
    `SELECT 1 AS one FROM memories WHERE tenantId = ? AND endUser = ? AND updatedAt > ? AND current = 1
       AND validTo IS NULL LIMIT 1`,
    [tenantId, endUser, sinceMs],
  );
  return row !== undefined;
}

/** Lists the users of a tenant that were not looked at since a time, with when their memories were last tidied. */
export async function listUsersToTidy(
  reader: Reader,
  { tenantId, beforeMs, limit }: { tenantId: string; beforeMs: number; limit: number },
): Promise<{ endUser: string; tidiedAt: number }[]> {
  return reader.all(
    `SELECT s.endUser, COALESCE(t.tidiedAt, 0) AS tidiedAt FROM scopes s
       LEFT JOIN tidiedUsers t ON t.tenantId = s.tenantId AND t.endUser = s.endUser
     WHERE s.tenantId = ? AND s.erasedAt IS NULL AND (t.lookedAt IS NULL OR t.lookedAt <= ?) LIMIT ?`,
    [tenantId, beforeMs, limit],
  );
}

/** Records when the schedule last looked at a user. */
export async function updateLooked(
  connection: Connection,
  { tenantId, endUser, lookedAt }: { tenantId: string; endUser: string; lookedAt: number },
): Promise<void> {
  await connection.run(
    `INSERT INTO tidiedUsers (tenantId, endUser, lookedAt, tidiedAt) VALUES (?, ?, ?, 0)
     ON CONFLICT (tenantId, endUser) DO UPDATE SET lookedAt = excluded.lookedAt`,
    [tenantId, endUser, lookedAt],
  );
}

/** Records through which time the memories of a user are tidied. */
export async function updateTidied(
  connection: Connection,
  { tenantId, endUser, tidiedAt }: { tenantId: string; endUser: string; tidiedAt: number },
): Promise<void> {
  await connection.run(
    `INSERT INTO tidiedUsers (tenantId, endUser, lookedAt, tidiedAt) VALUES (?, ?, ?, ?)
     ON CONFLICT (tenantId, endUser) DO UPDATE SET tidiedAt = excluded.tidiedAt`,
    [tenantId, endUser, tidiedAt, tidiedAt],
  );
}

/** Deletes when the users of an owner that is being erased were tidied. */
export async function deleteTidied(connection: Connection, owner: Owner): Promise<void> {
  const own = erasedCondition(owner);
  await connection.run(`DELETE FROM tidiedUsers WHERE ${own.sql}`, own.values);
}

function conditionsOf({ tenantId, endUser, project, changedAfterMs, nowMs }: TidyFilter) {
  const ofProject = projectConditions(project, 'project');
  return {
    sql: [
      'tenantId = ? AND endUser = ? AND current = 1 AND validTo IS NULL AND (expiresAt IS NULL OR expiresAt > ?)',
      ...ofProject.map(([condition]) => condition),
      ...(changedAfterMs === undefined ? [] : ['updatedAt > ?']),
    ].join(' AND '),
    values: [
      ...[tenantId, endUser, nowMs, ...ofProject.map(([, value]) => value)],
      ...(changedAfterMs === undefined ? [] : [changedAfterMs]),
    ],
  };
}
