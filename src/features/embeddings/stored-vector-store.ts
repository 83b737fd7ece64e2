import type { Reader } from '../../db/connection.ts';
import { OPERATOR } from './models-store.ts';
import type { QueryVector } from './query-vectors.ts';

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
