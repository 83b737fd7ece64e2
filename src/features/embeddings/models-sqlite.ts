import type { Provider } from '../../contract/providers.ts';
import { ITEM_TYPES } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';

/** A model whose vectors are stored. Each has a space of its own: vectors of two models are never compared. */
export interface EmbeddingModel {
  id: number;
  /** Whose rows get vectors of it, and whose key it is asked with; `OPERATOR`: everyone's, by the operator's embedder. */
  tenantId: string;
  /** `null` for the operator's. */
  provider: Provider | null;
  name: string;
  /** `null` until its first answer. */
  dimensions: number | null;
  /** `serving`: searches ask it; `filling`: it will serve once it has everything; `retiring`: its vectors go. */
  state: 'serving' | 'filling' | 'retiring';
  /** Up to which number the rows of a type were looked through for some without a vector; `null` where all were. */
  memoryFill: number | null;
  messageFill: number | null;
  episodeFill: number | null;
  /** In the place of those numbers for a tenant's: the id up to which rows of the first type that is left were seen. */
  fillAfter: string;
}

/** In the place of a tenant. */
export const OPERATOR = '';

const RESTART_BACKFILL = `${ITEM_TYPES.map((type) => `${type}Fill = 0`).join(', ')}, fillAfter = ''`;

/** Those of a tenant or the operator's, the one that serves first. */
export async function listModels(reader: Reader, tenantId: string): Promise<EmbeddingModel[]> {
  return reader.all<EmbeddingModel>(
    `SELECT * FROM embeddingModels WHERE tenantId = ? ORDER BY state = 'serving' DESC, id`,
    [tenantId],
  );
}

/** By its number, whosever it is. */
export async function findModel(reader: Reader, id: number): Promise<EmbeddingModel | undefined> {
  return reader.get<EmbeddingModel>('SELECT * FROM embeddingModels WHERE id = ?', [id]);
}

/**
 * This model is the one that is wanted of those of its tenant. The first serves at once where `mayServe`, so that what is
 * embedded already is found; a later one fills beside the one that serves, and others that were filling are given up.
 */
export async function selectModel(
  connection: Connection,
  { tenantId, provider, name }: Pick<EmbeddingModel, 'tenantId' | 'provider' | 'name'>,
  mayServe: boolean,
): Promise<void> {
  const models = await listModels(connection, tenantId);
  const own = models.find((model) => model.name === name && model.provider === provider);
  const state = mayServe && !models.some((model) => model.state === 'serving') ? 'serving' : 'filling';
  if (own === undefined) {
    await connection.run(
      `INSERT INTO embeddingModels (tenantId, provider, name, state, memoryFill, messageFill, episodeFill)
       VALUES (?, ?, ?, ?, 0, 0, 0)`,
      [tenantId, provider, name, state],
    );
  } else if (own.state === 'retiring') {
    await connection.run(`UPDATE embeddingModels SET state = ?, ${RESTART_BACKFILL} WHERE id = ?`, [state, own.id]);
  }
  for (const model of models) if (model.state === 'filling' && model !== own) await retire(connection, model);
}

/** Without an embedder nothing notes what comes: once there is one again, it has to look through all. */
export async function resetBackfill(connection: Connection): Promise<void> {
  await connection.run(`UPDATE embeddingModels SET ${RESTART_BACKFILL} WHERE tenantId = ?`, [OPERATOR]);
}

/** Takes the number of dimensions of the first answer. Returns that which holds. */
export async function ensureDimensions(connection: Connection, id: number, dimensions: number): Promise<number | null> {
  await connection.run('UPDATE embeddingModels SET dimensions = ? WHERE id = ? AND dimensions IS NULL', [
    dimensions,
    id,
  ]);
  return (await findModel(connection, id))?.dimensions ?? null;
}

/** From now on its searches ask this model; the one before it retires. One that was given up meanwhile stays so. */
export async function promoteModel(connection: Connection, { id, tenantId }: EmbeddingModel): Promise<void> {
  const models = await listModels(connection, tenantId);
  if (models.find((model) => model.id === id)?.state !== 'filling') return;
  for (const model of models) if (model.state === 'serving') await retire(connection, model);
  await connection.run(`UPDATE embeddingModels SET state = 'serving' WHERE id = ?`, [id]);
}

/** Searches ask it no longer, and its vectors go. */
export async function retire(connection: Connection, { id }: EmbeddingModel): Promise<void> {
  await connection.run(`UPDATE embeddingModels SET state = 'retiring' WHERE id = ?`, [id]);
}

/** Some of what a retiring model left, at last itself; answers whether there is more. */
export async function deleteModelBatch(connection: Connection, id: number, limit: number): Promise<boolean> {
  if ((await findModel(connection, id))?.state !== 'retiring') return false;
  const jobs = await connection.run(
    'DELETE FROM unembedded WHERE id IN (SELECT id FROM unembedded WHERE model = ? LIMIT ?)',
    [id, limit],
  );
  const vectors = await connection.run(
    `DELETE FROM vectors WHERE (model, scope, type, number) IN
     (SELECT model, scope, type, number FROM vectors WHERE model = ? LIMIT ?)`,
    [id, limit],
  );
  if (jobs.changes + vectors.changes > 0) return true;
  await connection.run(`DELETE FROM embeddingModels WHERE id = ? AND state = 'retiring'`, [id]);
  return false;
}
