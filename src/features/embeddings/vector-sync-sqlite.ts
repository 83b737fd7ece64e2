import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { TextIndex, TextIndices } from '../text/text-indices.ts';
import { OPERATOR } from './models-sqlite.ts';

/** Which models new rows are queued for. */
export interface VectorSyncOptions {
  /** Includes the operator's models, not only the tenants' own. */
  operator: boolean;
  /** Whether any model needs it: if not, writes cost nothing extra. */
  isNeeded(): boolean;
}

/**
 * Wraps the text indexes to keep vectors in sync, in the same transaction: removing a row deletes its vectors, and
 * inserting a searchable row queues it for every model of its owner.
 */
export function withVectorSync(indices: TextIndices, noting: VectorSyncOptions): TextIndices {
  const entries = ITEM_TYPES.map((type) => [type, withVectorsOf(type, indices[type], noting)] as const);
  return Object.fromEntries(entries) as Record<ItemType, TextIndex>;
}

function withVectorsOf(type: ItemType, index: TextIndex, { operator, isNeeded }: VectorSyncOptions): TextIndex {
  const insertJobs = `INSERT OR REPLACE INTO unembedded (model, type, number, tenantId, scope, attempts, dueAt)
    SELECT e.id, ?, r.value ->> 0, s.tenantId, s.scope, 0, 0
    FROM json_each(?) r CROSS JOIN scopes s ON s.scope = r.value ->> 1
    CROSS JOIN embeddingModels e ON e.tenantId IN (${operator ? `'${OPERATOR}', ` : ''}s.tenantId) AND e.state <> 'retiring'`;
  return {
    ...index,
    async insert(connection, entries, prepared) {
      await index.insert(connection, entries, prepared);
      const live = entries.filter(({ part }) => part === 'live').map(({ number, scope }) => [number, scope]);
      if (live.length > 0 && isNeeded()) await connection.run(insertJobs, [type, JSON.stringify(live)]);
    },
    async remove(connection, rows) {
      await index.remove(connection, rows);
      if (rows.length === 0 || !isNeeded()) return;
      const list = JSON.stringify(rows.map(({ number }) => number));
      for (const table of ['vectors', 'unembedded']) {
        await connection.run(`DELETE FROM ${table} WHERE type = ? AND number IN (SELECT value FROM json_each(?))`, [
          type,
          list,
        ]);
      }
    },
  };
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
