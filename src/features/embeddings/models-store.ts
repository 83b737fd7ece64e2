import type { Provider } from '../../contract/providers.ts';
import { ITEM_TYPES } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';

/** A model with stored vectors. Vectors of different models are never compared. */
export interface EmbeddingModel {
  id: number;
  /**
   * Owner of the rows it embeds and of the key it is called with; `OPERATOR`: all rows, with the operator's embedder.
   */
  tenantId: string;
  /** `null` for the operator's models. */
  provider: Provider | null;
  name: string;
  /** `null` until the first response. */
  dimensions: number | null;
  /**
   * `serving`: searches use it; `filling`: it will serve once it has every vector; `retiring`: its vectors are being
   * deleted.
   */
  state: 'serving' | 'filling' | 'retiring';
  /** Whether a type has still to be scanned for missing vectors; `null` once the scan is complete. */
  memoryFill: 0 | null;
  messageFill: 0 | null;
  episodeFill: 0 | null;
  /** Position up to which the first unfinished type has been scanned: an id, after its tenant for the operator's models. */
  fillAfter: string;
  /**
   * Differs after the tenant replaced the key that the model is called with, and after its provider accepted it again;
   * `null` without a key.
   */
  keyVersion: string | null;
}

/** Stands in for the tenant id. */
export const OPERATOR = '';

/** The column `keyVersion` of a statement that reads `embeddingModels`. */
export const KEY_VERSION = `(SELECT k.id || ' ' || k.version || ' ' || COALESCE(k.validatedAt, 0) FROM providerKeys k
  WHERE k.tenantId = embeddingModels.tenantId AND k.provider = embeddingModels.provider) AS keyVersion`;

/** Lists the models of a tenant or of the operator, the serving one first. */
export async function listModels(reader: Reader, tenantId: string): Promise<EmbeddingModel[]> {
  return reader.all<EmbeddingModel>(
    `SELECT *, ${KEY_VERSION} FROM embeddingModels WHERE tenantId = ? ORDER BY state = 'serving' DESC, id`,
    [tenantId],
  );
}

/** Finds a model of any tenant. */
export async function findModel(reader: Reader, id: number): Promise<EmbeddingModel | undefined> {
  return reader.get<EmbeddingModel>(`SELECT *, ${KEY_VERSION} FROM embeddingModels WHERE id = ?`, [id]);
}

/**
 * Selects the model that its tenant wants. A tenant's first model serves immediately if `mayServe`, so that rows
 * embedded so far are found. A later one is filled beside the serving one, and any other model being filled is retired.
 */
export async function selectModel(
  connection: Connection,
  { tenantId, provider, name }: Pick<EmbeddingModel, 'tenantId' | 'provider' | 'name'>,
  mayServe: boolean,
): Promise<void> {
  const models = await listModels(connection, tenantId);
  // A retiring one is not revived: its dimensions may not be those that the model has now.
  const own = models.find((model) => model.name === name && model.provider === provider && model.state !== 'retiring');
  const state = mayServe && !models.some((model) => model.state === 'serving') ? 'serving' : 'filling';
  if (own === undefined) {
    await connection.run(
      `INSERT INTO embeddingModels (tenantId, provider, name, state, memoryFill, messageFill, episodeFill)
       VALUES (?, ?, ?, ?, 0, 0, 0)`,
      [tenantId, provider, name, state],
    );
  }
  for (const model of models) if (model.state === 'filling' && model !== own) await retire(connection, model);
}

/** Restarts the scan: while no embedder is configured, new rows are not queued. */
export async function resetBackfill(connection: Connection): Promise<void> {
  const fills = ITEM_TYPES.map((type) => `${type}Fill = 0`).join(', ');
  await connection.run(`UPDATE embeddingModels SET ${fills}, fillAfter = '' WHERE tenantId = ?`, [OPERATOR]);
}

/** Stores the dimensions of the first response. Returns the stored dimensions. */
export async function ensureDimensions(connection: Connection, id: number, dimensions: number): Promise<number | null> {
  await connection.run('UPDATE embeddingModels SET dimensions = ? WHERE id = ? AND dimensions IS NULL', [
    dimensions,
    id,
  ]);
  return (await findModel(connection, id))?.dimensions ?? null;
}

/**
 * Makes searches use this model and retires the previous one. Does nothing if the model has been retired in the
 * meantime.
 */
export async function promoteModel(connection: Connection, { id, tenantId }: EmbeddingModel): Promise<void> {
  const promote = `UPDATE embeddingModels SET state = 'serving' WHERE id = ? AND state = 'filling'`;
  if ((await connection.run(promote, [id])).changes === 0) return;
  for (const model of await listModels(connection, tenantId)) {
    if (model.state === 'serving' && model.id !== id) await retire(connection, model);
  }
}

/** Removes the model from searches; its vectors are deleted afterwards. */
export async function retire(connection: Connection, { id }: EmbeddingModel): Promise<void> {
  await connection.run(`UPDATE embeddingModels SET state = 'retiring' WHERE id = ?`, [id]);
}

/** Deletes a batch of a retiring model's rows, and finally the model. Returns whether more is left. */
export async function deleteModelBatch(connection: Connection, id: number, limit: number): Promise<boolean> {
  if ((await findModel(connection, id))?.state !== 'retiring') return false;
  const jobs = await connection.run(
    `DELETE FROM unembedded WHERE (tenantId, id) IN (SELECT tenantId, id FROM unembedded WHERE model = ? LIMIT ?)`,
    [id, limit],
  );
  const vectors = await connection.run(
    `DELETE FROM vectors WHERE (tenantId, model, scope, type, number) IN
     (SELECT tenantId, model, scope, type, number FROM vectors WHERE model = ? LIMIT ?)`,
    [id, limit],
  );
  if (jobs.changes + vectors.changes > 0) return true;
  await connection.run(`DELETE FROM embeddingModels WHERE id = ? AND state = 'retiring'`, [id]);
  return false;
}
