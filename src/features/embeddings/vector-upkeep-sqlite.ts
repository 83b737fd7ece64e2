import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { TextIndex, TextIndices } from '../search/text-index-sqlite.ts';

/**
 * The same indices, which keep the vectors true beside the words: in the transaction of the rows a removed one loses its
 * vector, and a new one is noted for every model, where `noting`, if it is one that searches find.
 */
export function withVectors(indices: TextIndices, { noting }: { noting: boolean }): TextIndices {
  const entries = ITEM_TYPES.map((type) => [type, withVectorsOf(type, indices[type], noting)] as const);
  return Object.fromEntries(entries) as Record<ItemType, TextIndex>;
}

function withVectorsOf(type: ItemType, index: TextIndex, noting: boolean): TextIndex {
  return {
    ...index,
    async insert(connection, entries) {
      await index.insert(connection, entries);
      const live = entries.filter(({ part }) => part === 'live').map(({ number, scope }) => [number, scope]);
      if (noting && live.length > 0) await insertJobs(connection, type, live);
    },
    async remove(connection, numbers) {
      await index.remove(connection, numbers);
      if (numbers.length === 0) return;
      const list = JSON.stringify(numbers);
      for (const table of ['vectors', 'unembedded']) {
        await connection.run(`DELETE FROM ${table} WHERE type = ? AND number IN (SELECT value FROM json_each(?))`, [
          type,
          list,
        ]);
      }
    },
  };
}

async function insertJobs(connection: Connection, type: ItemType, rows: readonly number[][]): Promise<void> {
  await connection.run(
    `INSERT OR REPLACE INTO unembedded (model, type, number, tenantId, scope, attempts, dueAt)
     SELECT e.id, ?, r.value ->> 0, s.tenantId, s.scope, 0, 0
     FROM json_each(?) r CROSS JOIN scopes s ON s.scope = r.value ->> 1
     CROSS JOIN embeddingModels e ON e.state <> 'retiring'`,
    [type, JSON.stringify(rows)],
  );
}

/** Vectors of rows that no search finds, and rows that wait without being there; empty where all is well. */
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
  return rows.map(({ what, type, number }) => `a ${what} of ${type} ${number} has no row`);
}

/** Whether there is or was an embedder. */
export async function hasVectors(reader: Reader): Promise<boolean> {
  return (await reader.get('SELECT 1 FROM embeddingModels LIMIT 1')) !== undefined;
}
