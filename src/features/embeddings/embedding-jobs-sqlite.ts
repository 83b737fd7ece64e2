import type { ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { ensureDimensions } from './models-sqlite.ts';

/** A row waiting for its vector, with its text. */
export interface EmbeddingJob {
  id: number;
  tenantId: string;
  /** How often the model has rejected this text. */
  attempts: number;
  /** Truncated to what models accept, and further with each attempt; `null` if the row has no text. */
  text: string | null;
}

const MAX_CHARACTERS = 8000;
const MAX_HALVINGS = 3;

/** Searchable rows and their text, by item type. */
export const ROWS: Record<ItemType, { table: string; text: string; live: string }> = {
  memory: { table: 'memories', text: 'm.content', live: 'm.current = 1 AND m.validTo IS NULL' },
  message: { table: 'messages', text: 'm.content', live: '1 = 1' },
  episode: {
    table: 'episodes',
    text: `m.title || char(10) || COALESCE(m.summary, '') || char(10) || COALESCE(m.outcome, '')`,
    live: '1 = 1',
  },
};

const TEXT = Object.entries(ROWS)
  .map(([type, { table, text }]) => {
    const row = `SELECT ${text} FROM ${table} m WHERE m.tenantId = u.tenantId AND m.number = u.number`;
    return `WHEN '${type}' THEN (${row})`;
  })
  .join(' ');

/**
 * Lists due jobs with an equal share for each tenant, starting after `afterTenant` and wrapping around: a tenant with a
 * hundred thousand rows does not delay one with three.
 */
export async function listDueJobs(
  reader: Reader,
  model: number,
  { afterTenant, nowMs, limit }: { afterTenant: string; nowMs: number; limit: number },
): Promise<EmbeddingJob[]> {
  const following = await listDueTenants(reader, model, { afterTenant, nowMs, limit });
  const tenants =
    following.length > 0 || afterTenant === ''
      ? following
      : await listDueTenants(reader, model, { afterTenant: '', nowMs, limit });
  if (tenants.length === 0) return [];
  return reader.all<EmbeddingJob>(
    `SELECT u.id, u.tenantId, u.attempts,
       SUBSTR(CASE u.type ${TEXT} END, 1, ${MAX_CHARACTERS} >> MIN(u.attempts, ${MAX_HALVINGS})) AS text
     FROM json_each(?) t CROSS JOIN unembedded u ON u.id IN (SELECT d.id FROM unembedded d
       WHERE d.model = ? AND d.tenantId = t.value AND d.dueAt <= ? ORDER BY d.dueAt LIMIT ?) LIMIT ?`,
    [JSON.stringify(tenants), model, nowMs, Math.ceil(limit / tenants.length), limit],
  );
}

/** Lists the next tenants with a due job, at one index lookup each. */
async function listDueTenants(
  reader: Reader,
  model: number,
  { afterTenant, nowMs, limit }: { afterTenant: string; nowMs: number; limit: number },
): Promise<string[]> {
  const next = (after: string) => `(SELECT d.tenantId FROM unembedded d
    WHERE d.model = ? AND d.tenantId > ${after} AND d.dueAt <= ? ORDER BY d.tenantId LIMIT 1)`;
  const rows = await reader.all<{ tenantId: string }>(
    `WITH RECURSIVE t (tenantId) AS (SELECT ${next('?')}
       UNION ALL SELECT ${next('t.tenantId')} FROM t WHERE t.tenantId IS NOT NULL LIMIT ?)
     SELECT tenantId FROM t WHERE tenantId IS NOT NULL`,
    [model, afterTenant, nowMs, model, nowMs, limit],
  );
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * Stores vectors for the rows that are still waiting. Rows changed or erased in the meantime, and models retired in the
 * meantime, are skipped.
 */
export async function storeVectors(
  connection: Connection,
  model: number,
  vectors: readonly { job: number; embedding: Buffer }[],
  dimensions: number,
): Promise<'stored' | 'other dimensions' | 'gone'> {
  const settled = await ensureDimensions(connection, model, dimensions);
  if (settled !== dimensions) return settled === null ? 'gone' : 'other dimensions';
  for (const { job, embedding } of vectors) {
    await connection.run(
      `INSERT OR REPLACE INTO vectors (model, scope, type, number, tenantId, embedding)
       SELECT model, scope, type, number, tenantId, ? FROM unembedded WHERE id = ?`,
      [embedding, job],
    );
  }
  await deleteJobs(
    connection,
    vectors.map(({ job }) => job),
  );
  return 'stored';
}

/** Removes jobs from the queue. */
export async function deleteJobs(connection: Connection, ids: readonly number[]): Promise<void> {
  await connection.run('DELETE FROM unembedded WHERE id IN (SELECT value FROM json_each(?))', [JSON.stringify(ids)]);
}

/** Records that the model rejected this text, and retries it no earlier than `dueAt`. */
export async function updateAfterRejection(connection: Connection, id: number, dueAt: number): Promise<void> {
  await connection.run('UPDATE unembedded SET attempts = attempts + 1, dueAt = ? WHERE id = ?', [dueAt, id]);
}

/** Whether any waiting row has not been sent to the model yet. */
export async function hasUnattemptedJobs(reader: Reader, model: number): Promise<boolean> {
  const row = await reader.get('SELECT 1 FROM unembedded WHERE model = ? AND attempts = 0 LIMIT 1', [model]);
  return row !== undefined;
}

/** Whether at least `count` rows are waiting for a model. */
export async function hasJobs(reader: Reader, model: number, count: number): Promise<boolean> {
  const row = await reader.get('SELECT 1 FROM unembedded WHERE model = ? LIMIT 1 OFFSET ?', [model, count - 1]);
  return row !== undefined;
}
