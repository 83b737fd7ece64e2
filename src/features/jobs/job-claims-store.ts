import type { Connection, Reader } from '../../db/connection.ts';
import type { JobRow } from './jobs-store.ts';

/** Lists the next tenants with a due job after `afterTenant`, at one index lookup each. */
export async function listDueTenants(
  reader: Reader,
  { afterTenant, nowMs, limit }: { afterTenant: string; nowMs: number; limit: number },
): Promise<string[]> {
  const next = (after: string) => `(SELECT d.tenantId FROM jobs d
    WHERE d.tenantId > ${after} AND d.dueAt <= ? AND d.finishedAt IS NULL ORDER BY d.tenantId LIMIT 1)`;
  const rows = await reader.all<{ tenantId: string }>(
    `WITH RECURSIVE t (tenantId) AS (SELECT ${next('?')}
       UNION ALL SELECT ${next('t.tenantId')} FROM t WHERE t.tenantId IS NOT NULL)
     SELECT tenantId FROM t WHERE tenantId IS NOT NULL LIMIT ?`,
    [afterTenant, nowMs, nowMs, limit],
  );
  return rows.map(({ tenantId }) => tenantId);
}

export async function listDueJobs(
  reader: Reader,
  { tenantId, nowMs, limit }: { tenantId: string; nowMs: number; limit: number },
): Promise<JobRow[]> {
  return reader.all<JobRow>(
    `SELECT * FROM jobs WHERE tenantId = ? AND dueAt <= ? AND finishedAt IS NULL ORDER BY dueAt, id LIMIT ?`,
    [tenantId, nowMs, limit],
  );
}

/** Makes jobs due that were running when the only daemon of the database died. Call it before any job is started. */
export async function updateInterrupted(connection: Connection, nowMs: number): Promise<void> {
  await connection.run(
    `UPDATE jobs SET state = 'queued', dueAt = ?, updatedAt = ? WHERE state = 'running' AND finishedAt IS NULL`,
    [nowMs, nowMs],
  );
}

/** Makes jobs due that were queued while the clock was ahead: they would wait until it is as late again. */
export async function updateAhead(connection: Connection, nowMs: number): Promise<void> {
  await connection.run(
    `UPDATE jobs SET dueAt = ? WHERE state = 'queued' AND dueAt > ? AND updatedAt > ? AND finishedAt IS NULL`,
    [nowMs, nowMs, nowMs],
  );
}

/** Claims a due job until `untilMs`. Returns the claimed job, or `undefined` if it has changed since it was read. */
export async function updateClaimed(
  connection: Connection,
  { tenantId, id, fence }: JobRow,
  { nowMs, untilMs }: { nowMs: number; untilMs: number },
): Promise<JobRow | undefined> {
  const [claimed] = await connection.all<JobRow>(
    `UPDATE jobs SET state = 'running', dueAt = ?, fence = fence + 1, updatedAt = ?
     WHERE tenantId = ? AND id = ? AND fence = ? AND dueAt <= ? AND finishedAt IS NULL RETURNING *`,
    [untilMs, nowMs, tenantId, id, fence, nowMs],
  );
  return claimed;
}

/** Extends a claim until `untilMs`. Returns whether the job is still running under it. */
export async function updateRenewed(
  connection: Connection,
  { tenantId, id, fence }: JobRow,
  untilMs: number,
): Promise<boolean> {
  const { changes } = await connection.run(
    `UPDATE jobs SET dueAt = ? WHERE tenantId = ? AND id = ? AND fence = ? AND state = 'running'`,
    [untilMs, tenantId, id, fence],
  );
  return changes === 1;
}
