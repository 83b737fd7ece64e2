import type { Connection, Reader } from '../../db/connection.ts';
import { type ModelAgreement, type ObservedAgreement, totalOf } from './model-agreement.ts';

/** Finds how a tenant's searches judged a model. */
export async function findModelAgreement(
  reader: Reader,
  tenantId: string,
  model: number,
): Promise<ModelAgreement | undefined> {
  return reader.get<ModelAgreement>('SELECT searches, agreed FROM modelAgreements WHERE tenantId = ? AND model = ?', [
    tenantId,
    model,
  ]);
}

/** Adds what searches of a tenant said of models; ignores models that were removed in the meantime. */
export async function addModelAgreements(
  connection: Connection,
  tenantId: string,
  observed: readonly ObservedAgreement[],
): Promise<void> {
  for (const model of new Set(observed.map((one) => one.model))) {
    const shares = observed.filter((one) => one.model === model).map(({ share }) => share);
    const { searches, agreed, retained } = totalOf(shares);
    await connection.run(
      `INSERT INTO modelAgreements (tenantId, model, searches, agreed)
       SELECT CAST(? AS TEXT), id, CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION) FROM embeddingModels
       WHERE id = ? AND tenantId IN (?, '')
       ON CONFLICT (tenantId, model) DO UPDATE SET searches = modelAgreements.searches * ? + excluded.searches,
         agreed = modelAgreements.agreed * ? + excluded.agreed`,
      [tenantId, searches, agreed, model, tenantId, retained, retained],
    );
  }
}

/** Deletes all of a tenant, whose models an account has a few of. */
export async function deleteModelAgreementsOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM modelAgreements WHERE tenantId = ?', [tenantId]);
}

/** Deletes across all tenants what was stored of models that were removed. */
export async function deleteSomeAgreementsOfRemoved(connection: Connection, limit: number): Promise<number> {
  const { changes } = await connection.run(
    `DELETE FROM modelAgreements WHERE (tenantId, model) IN
       (SELECT a.tenantId, a.model FROM modelAgreements a
        WHERE NOT EXISTS (SELECT 1 FROM embeddingModels e WHERE e.id = a.model) LIMIT ?)`,
    [limit],
  );
  return changes;
}
