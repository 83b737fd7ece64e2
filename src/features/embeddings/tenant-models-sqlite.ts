import type { Connection, Reader } from '../../db/connection.ts';
import { type EmbeddingModel, OPERATOR } from './models-sqlite.ts';

/** The tenants that have models of their own. */
export async function listTenantsWithModels(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ tenantId: string }>(
    'SELECT DISTINCT tenantId FROM embeddingModels WHERE tenantId > ?',
    [OPERATOR],
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** The model of its own that a tenant's searches ask. */
export async function findServing(reader: Reader, tenantId: string): Promise<EmbeddingModel | undefined> {
  return reader.get<EmbeddingModel>(`SELECT * FROM embeddingModels WHERE tenantId = ? AND state = 'serving'`, [
    tenantId,
  ]);
}

/**
 * The models of tenants for which something is to be done, found by as many looks into indices: those with due jobs, and
 * those that fill or retire. Who has all vectors costs nothing, however many there are.
 */
export async function listOpenModels(reader: Reader, nowMs: number): Promise<Pick<EmbeddingModel, 'id' | 'state'>[]> {
  return reader.all<Pick<EmbeddingModel, 'id' | 'state'>>(
    `WITH RECURSIVE waiting (model) AS (SELECT (SELECT MIN(model) FROM unembedded)
       UNION ALL SELECT (SELECT MIN(u.model) FROM unembedded u WHERE u.model > w.model)
       FROM waiting w WHERE w.model IS NOT NULL)
     SELECT e.id, e.state FROM waiting w CROSS JOIN embeddingModels e ON e.id = w.model
     WHERE e.tenantId > ? AND EXISTS (SELECT 1 FROM unembedded u
       WHERE u.model = e.id AND u.tenantId = e.tenantId AND u.dueAt <= ?)
     UNION SELECT id, state FROM embeddingModels WHERE tenantId > ? AND (state <> 'serving'
       OR memoryFill IS NOT NULL OR messageFill IS NOT NULL OR episodeFill IS NOT NULL)`,
    [OPERATOR, nowMs, OPERATOR],
  );
}

/**
 * Where no embedder of the operator's serves, what fills serves at once for those who have nothing else: of one tenant,
 * or of all.
 */
export async function promoteFillingModels(connection: Connection, tenantId?: string): Promise<void> {
  await connection.run(
    `UPDATE embeddingModels SET state = 'serving'
     WHERE tenantId ${tenantId === undefined ? '>' : '='} ? AND state = 'filling' AND NOT EXISTS
       (SELECT 1 FROM embeddingModels o WHERE o.tenantId = embeddingModels.tenantId AND o.state = 'serving')`,
    [tenantId ?? OPERATOR],
  );
}

/** How many rows wait for models of tenants. */
export async function countWaitingForTenants(reader: Reader): Promise<number> {
  const row = await reader.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM unembedded WHERE model IN (SELECT id FROM embeddingModels WHERE tenantId > ?)',
    [OPERATOR],
  );
  return row!.count;
}
