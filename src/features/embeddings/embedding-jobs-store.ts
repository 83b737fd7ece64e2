import type { ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Engine } from '../../db/dialect.ts';
import { insertRows } from '../../db/values.ts';
import { ensureDimensions } from './models-store.ts';

/** A row waiting for its vector, with its text. */
export interface EmbeddingJob {
  id: number;
  tenantId: string;
  /** How often the model has rejected this text. */
  attempts: number;
  /** Truncated to what models accept, and further with each attempt; `null` if the row has no text. */
  text: string | null;
}

/** Searchable rows and their text, by item type. */
export const ROWS: Record<ItemType, { table: string; text: string; live: string }> = {
  memory: { table: 'memories', text: 'm.content', live: 'm.current = 1 AND m.validTo IS NULL' },
  message: { table: 'messages', text: 'm.content', live: '1 = 1' },
  episode: {
    table: 'episodes',
    text: `m.title || '\n' || COALESCE(m.summary, '') || '\n' || COALESCE(m.outcome, '')`,
    live: '1 = 1',
  },
};

const TEXT = Object.entries(ROWS)
  .map(([type, { table, text }]) => {
    const row = `SELECT ${text} FROM ${table} m WHERE m.tenantId = u.tenantId AND m.number = u.number`;
    return `WHEN '${type}' THEN (${row})`;
  })
  .join(' ');

const MAX_CHARACTERS = 'CASE u.attempts WHEN 0 THEN 8000 WHEN 1 THEN 4000 WHEN 2 THEN 2000 ELSE 1000 END';

const DUE = `SELECT d.id FROM unembedded d
  WHERE d.model = ? AND d.tenantId = t.value AND d.dueAt <= ? ORDER BY d.dueAt LIMIT ?`;
/** The first due jobs of each tenant `t`. */
const SHARE: Record<Engine, string> = {
  sqlite: `CROSS JOIN unembedded u ON u.id IN (${DUE})`,
  postgres: `CROSS JOIN LATERAL (${DUE}) f ON TRUE CROSS JOIN unembedded u ON u.tenantId = t.value AND u.id = f.id`,
};

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
    `SELECT u.id, u.tenantId, u.attempts, SUBSTR(CASE u.type ${TEXT} END, 1, ${MAX_CHARACTERS}) AS text
     FROM texts(?) t ${SHARE[reader.engine]} LIMIT ?`,
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
       UNION ALL SELECT ${next('t.tenantId')} FROM t WHERE t.tenantId IS NOT NULL)
     SELECT tenantId FROM t WHERE tenantId IS NOT NULL LIMIT ?`,
    [model, afterTenant, nowMs, model, nowMs, limit],
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** A vector of the text that a job was listed with. */
export interface JobVector {
  job: Pick<EmbeddingJob, 'id' | 'tenantId'>;
  embedding: Buffer;
}

/**
 * Stores vectors for the rows that are still waiting. Rows changed or erased in the meantime, and models retired in the
 * meantime, are skipped.
 */
export async function storeVectors(
  connection: Connection,
  model: number,
  vectors: readonly JobVector[],
  dimensions: number,
): Promise<'stored' | 'other dimensions' | 'gone'> {
  const settled = await ensureDimensions(connection, model, dimensions);
  if (settled !== dimensions) return settled === null ? 'gone' : 'other dimensions';
  const embeddings = new Map(vectors.map(({ job, embedding }) => [job.id, embedding]));
  // Deleting first locks the jobs: whoever erases a row deletes its job before its vector, and finds both or neither.
  const rows = await deleteJobs(
    connection,
    vectors.map(({ job }) => job),
  );
  await deleteVectors(connection, rows);
  await insertRows(
    connection,
    'INSERT INTO vectors (tenantId, model, scope, type, number, embedding)',
    rows.map((row) => [row.tenantId, row.model, row.scope, row.type, row.number, embeddings.get(row.id)!]),
  );
  return 'stored';
}

interface WaitingRow {
  tenantId: string;
  id: number;
  model: number;
  type: ItemType;
  number: number;
  scope: number;
}

/** Removes jobs from the queue, and returns those that were still there. */
export async function deleteJobs(
  connection: Connection,
  jobs: readonly Pick<EmbeddingJob, 'id' | 'tenantId'>[],
): Promise<WaitingRow[]> {
  return connection.all<WaitingRow>(
    `DELETE FROM unembedded
     WHERE tenantId IN (SELECT value FROM texts(?)) AND id IN (SELECT value FROM numbers(?))
     RETURNING tenantId, id, model, type, number, scope`,
    [JSON.stringify([...new Set(jobs.map(({ tenantId }) => tenantId))]), JSON.stringify(jobs.map(({ id }) => id))],
  );
}

async function deleteVectors(connection: Connection, rows: readonly WaitingRow[]): Promise<void> {
  for (const { tenantId, model, scope, type, number } of rows) {
    await connection.run(
      'DELETE FROM vectors WHERE tenantId = ? AND model = ? AND scope = ? AND type = ? AND number = ?',
      [tenantId, model, scope, type, number],
    );
  }
}

/** Records that the model rejected this text, and retries it no earlier than `dueAt`. */
export async function updateAfterRejection(
  connection: Connection,
  { tenantId, id }: Pick<EmbeddingJob, 'id' | 'tenantId'>,
  dueAt: number,
): Promise<void> {
  await connection.run('UPDATE unembedded SET attempts = attempts + 1, dueAt = ? WHERE tenantId = ? AND id = ?', [
    dueAt,
    tenantId,
    id,
  ]);
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
