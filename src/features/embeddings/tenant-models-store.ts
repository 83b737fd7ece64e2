import type { Connection, Reader } from '../../db/connection.ts';
import { type EmbeddingModel, KEY_VERSION, OPERATOR } from './models-store.ts';

/** Tenants that have embedding models of their own. */
export async function listTenantsWithModels(reader: Reader): Promise<string[]> {
  const rows = await reader.all<{ tenantId: string }>(
    'SELECT DISTINCT tenantId FROM embeddingModels WHERE tenantId > ?',
    [OPERATOR],
  );
  return rows.map(({ tenantId }) => tenantId);
}

/** The tenant's own model that its searches use. */
export async function findServing(reader: Reader, tenantId: string): Promise<EmbeddingModel | undefined> {
  return reader.get<EmbeddingModel>(
    `SELECT *, ${KEY_VERSION} FROM embeddingModels WHERE tenantId = ? AND state = 'serving'`,
    [tenantId],
  );
}

/** A model that has work. */
export type OpenModel = Pick<EmbeddingModel, 'id' | 'tenantId' | 'state' | 'keyVersion'>;

/**
 * Lists the tenants' models that have work, at one index lookup each: those with due jobs, and those being filled or
 * retired. Tenants whose vectors are complete cost nothing.
 */
export async function listOpenModels(reader: Reader, nowMs: number): Promise<OpenModel[]> {
  const columns = `embeddingModels.id, embeddingModels.tenantId, embeddingModels.state, ${KEY_VERSION}`;
  return reader.all<OpenModel>(
    `WITH RECURSIVE waiting (model) AS (SELECT (SELECT MIN(model) FROM unembedded)
       UNION ALL SELECT (SELECT MIN(u.model) FROM unembedded u WHERE u.model > w.model)
       FROM waiting w WHERE w.model IS NOT NULL)
     SELECT ${columns} FROM waiting w CROSS JOIN embeddingModels ON embeddingModels.id = w.model
     WHERE embeddingModels.tenantId > ? AND EXISTS (SELECT 1 FROM unembedded u
       WHERE u.model = embeddingModels.id AND u.tenantId = embeddingModels.tenantId AND u.dueAt <= ?)
     UNION SELECT ${columns} FROM embeddingModels WHERE tenantId > ? AND (state <> 'serving'
       OR memoryFill IS NOT NULL OR messageFill IS NOT NULL OR episodeFill IS NOT NULL)`,
    [OPERATOR, nowMs, OPERATOR],
  );
}

/**
 * Promotes models being filled, of one tenant or of all, where nothing else serves. For daemons without an operator's
 * embedder.
 */
export async function promoteFillingModels(connection: Connection, tenantId?: string): Promise<void> {
  await connection.run(
    `UPDATE embeddingModels SET state = 'serving'
     WHERE tenantId ${tenantId === undefined ? '>' : '='} ? AND state = 'filling' AND NOT EXISTS
       (SELECT 1 FROM embeddingModels o WHERE o.tenantId = embeddingModels.tenantId AND o.state = 'serving')`,
    [tenantId ?? OPERATOR],
  );
}

/** Counts the rows waiting for tenants' models. */
export async function countWaitingForTenants(reader: Reader): Promise<number> {
  const row = await reader.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM unembedded WHERE model IN (SELECT id FROM embeddingModels WHERE tenantId > ?)',
    [OPERATOR],
  );
  return row!.count;
}
