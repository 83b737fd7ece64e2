import type { ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows } from '../../db/values.ts';
import { OPERATOR } from './models-store.ts';
import type { QueryVector } from './query-vectors.ts';

/** A row of a user. */
export interface OwnedRow {
  tenantId: string;
  scope: number;
  number: number;
}

/** Queues rows for the models of their tenants, and for the operator's if `operator`. */
export async function insertJobs(
  connection: Connection,
  type: ItemType,
  rows: readonly OwnedRow[],
  operator: boolean,
): Promise<void> {
  const owners = new Set(rows.map(({ tenantId }) => tenantId));
  if (operator) owners.add(OPERATOR);
  const models = await connection.all<{ id: number; tenantId: string }>(
    `SELECT id, tenantId FROM embeddingModels WHERE tenantId IN (SELECT value FROM texts(?)) AND state <> 'retiring'`,
    [JSON.stringify([...owners])],
  );
  const jobs = rows.flatMap(({ tenantId, scope, number }) =>
    models
      .filter((model) => model.tenantId === OPERATOR || model.tenantId === tenantId)
      .map(({ id }) => [id, type, number, tenantId, scope, 0, 0]),
  );
  await insertRows(
    connection,
    'INSERT INTO unembedded (model, type, number, tenantId, scope, attempts, dueAt)',
    jobs,
    // A scan may have queued the row already. A changed row was removed before, so that its job has its new text.
    'ON CONFLICT DO NOTHING',
  );
}

/** Removes rows from the queue, and then their vectors: a vector that was just stored has no job any more. */
export async function deleteEmbedded(connection: Connection, type: ItemType, rows: readonly OwnedRow[]): Promise<void> {
  for (const tenantId of new Set(rows.map((row) => row.tenantId))) {
    const numbers = rows.filter((row) => row.tenantId === tenantId).map(({ number }) => number);
    for (const table of ['unembedded', 'vectors']) {
      await connection.run(
        `DELETE FROM ${table} WHERE tenantId = ? AND type = ? AND number IN (SELECT value FROM numbers(?))`,
        [tenantId, type, JSON.stringify(numbers)],
      );
    }
  }
}

/**
 * Reports vectors without a searchable row, jobs without a row, and either belonging to another account's model. Empty
 * if the database is consistent.
 */
export async function vectorProblems(connection: Connection): Promise<string[]> {
  const rows = await connection.all<{ what: string; type: string; number: number }>(
    `SELECT x.what, x.type, x.number FROM (SELECT 'vector' AS what, type, number, tenantId FROM vectors
       UNION ALL SELECT 'job', type, number, tenantId FROM unembedded) x
     WHERE NOT CASE x.type
       WHEN 'memory' THEN EXISTS (SELECT 1 FROM memories m
         WHERE m.number = x.number AND m.tenantId = x.tenantId AND m.current = 1 AND m.validTo IS NULL)
       WHEN 'message' THEN EXISTS (SELECT 1 FROM messages m WHERE m.number = x.number AND m.tenantId = x.tenantId)
       ELSE EXISTS (SELECT 1 FROM episodes m WHERE m.number = x.number AND m.tenantId = x.tenantId) END LIMIT 20`,
  );
  return [
    ...rows.map(({ what, type, number }) => `a ${what} of ${type} ${number} has no row`),
    ...(await modelProblems(connection)),
  ];
}

async function modelProblems(connection: Connection): Promise<string[]> {
  const strange = await connection.all<{ what: string; type: string; number: number }>(
    `SELECT x.what, x.type, x.number FROM (SELECT 'vector' AS what, model, type, number, tenantId FROM vectors
       UNION ALL SELECT 'job', model, type, number, tenantId FROM unembedded) x
     WHERE NOT EXISTS (SELECT 1 FROM embeddingModels e WHERE e.id = x.model AND e.tenantId IN (?, x.tenantId)) LIMIT 20`,
    [OPERATOR],
  );
  const models = await connection.all<{ id: number; wrong: string }>(
    `SELECT id, 'is of no account' AS wrong FROM embeddingModels
       WHERE tenantId > ? AND tenantId NOT IN (SELECT tenantId FROM tenants)
     UNION ALL SELECT MAX(id), 'serves beside another' FROM embeddingModels WHERE state = 'serving'
       GROUP BY tenantId HAVING COUNT(*) > 1 LIMIT 20`,
    [OPERATOR],
  );
  return [
    ...strange.map(
      ({ what, type, number }) => `a ${what} of ${type} ${number} is of a model that is not its account's`,
    ),
    ...models.map(({ id, wrong }) => `the embedding model ${id} ${wrong}`),
  ];
}

/** Whether an embedder is or was configured. */
export async function hasVectors(reader: Reader): Promise<boolean> {
  return (await reader.get('SELECT 1 FROM embeddingModels LIMIT 1')) !== undefined;
}

/** The row of a memory. */
export interface MemoryKey {
  tenantId: string;
  scope: number;
  number: number;
}

/** Finds the vector of a memory by the model that serves its tenant's searches. */
export async function findMemoryVector(
  reader: Reader,
  { tenantId, scope, number }: MemoryKey,
): Promise<QueryVector | undefined> {
  return reader.get<QueryVector>(
    `SELECT v.model, v.embedding FROM embeddingModels e
       CROSS JOIN vectors v ON v.model = e.id AND v.scope = ? AND v.type = 'memory' AND v.number = ?
     WHERE e.tenantId IN (?, '${OPERATOR}') AND e.state = 'serving' AND v.tenantId = ? ORDER BY e.tenantId DESC LIMIT 1`,
    [scope, number, tenantId, tenantId],
  );
}
