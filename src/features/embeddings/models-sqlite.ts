import { ITEM_TYPES } from '../../contract/search.ts';
import type { Connection, Reader } from '../../db/connection.ts';

/** A model whose vectors are stored. Each has a space of its own: vectors of two models are never compared. */
export interface EmbeddingModel {
  id: number;
  name: string;
  /** `null` until its first answer. */
  dimensions: number | null;
  /** `serving`: searches ask it; `filling`: it will serve once it has everything; `retiring`: its vectors go. */
  state: 'serving' | 'filling' | 'retiring';
  /** Up to which number the rows of a type were looked through for some without a vector; `null` where all were. */
  memoryFill: number | null;
  messageFill: number | null;
  episodeFill: number | null;
}

const FROM_THE_START = ITEM_TYPES.map((type) => `${type}Fill = 0`).join(', ');

/** The one that serves first. */
export async function listModels(reader: Reader): Promise<EmbeddingModel[]> {
  return reader.all<EmbeddingModel>(`SELECT * FROM embeddingModels ORDER BY state = 'serving' DESC, id`);
}

/**
 * The model of this name is the one that is wanted. The first serves at once, so that what is embedded already is
 * found; a later one fills beside the one that serves, and others that were filling are given up.
 */
export async function beginModel(connection: Connection, name: string): Promise<void> {
  const models = await listModels(connection);
  const own = models.find((model) => model.name === name);
  const state = models.some((model) => model.state === 'serving') ? 'filling' : 'serving';
  if (own === undefined) {
    await connection.run(
      `INSERT INTO embeddingModels (name, state, memoryFill, messageFill, episodeFill) VALUES (?, ?, 0, 0, 0)`,
      [name, state],
    );
  } else if (own.state === 'retiring') {
    await connection.run(`UPDATE embeddingModels SET state = ?, ${FROM_THE_START} WHERE id = ?`, [state, own.id]);
  }
  for (const model of models.filter((other) => other.state === 'filling' && other !== own)) {
    await retire(connection, model);
  }
}

/** Without an embedder nothing notes what comes: once there is one again, it has to look through all. */
export async function markUnfilled(connection: Connection): Promise<void> {
  await connection.run(`UPDATE embeddingModels SET ${FROM_THE_START}`);
}

/** Takes the number of dimensions of the first answer. Returns that which holds. */
export async function settleDimensions(connection: Connection, id: number, dimensions: number): Promise<number | null> {
  await connection.run('UPDATE embeddingModels SET dimensions = ? WHERE id = ? AND dimensions IS NULL', [
    dimensions,
    id,
  ]);
  const row = await connection.get<EmbeddingModel>('SELECT * FROM embeddingModels WHERE id = ?', [id]);
  return row?.dimensions ?? null;
}

/** From now on searches ask this model; the one before it retires. */
export async function switchTo(connection: Connection, id: number): Promise<void> {
  for (const model of await listModels(connection)) if (model.state === 'serving') await retire(connection, model);
  await connection.run(`UPDATE embeddingModels SET state = 'serving' WHERE id = ?`, [id]);
}

async function retire(connection: Connection, { id }: EmbeddingModel): Promise<void> {
  await connection.run(`UPDATE embeddingModels SET state = 'retiring' WHERE id = ?`, [id]);
}

/** Some of what a retiring model left, at last itself; answers whether there is more. */
export async function deleteSomeOfModel(connection: Connection, id: number, limit: number): Promise<boolean> {
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
