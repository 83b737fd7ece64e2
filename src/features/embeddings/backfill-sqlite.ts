import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Connection, Reader, Value } from '../../db/connection.ts';
import { ROWS } from './embedding-jobs-sqlite.ts';
import { type EmbeddingModel, findModel, OPERATOR } from './models-sqlite.ts';

/** The first item type whose rows have not all been scanned for missing vectors. */
export function typeToBackfill(model: EmbeddingModel): ItemType | undefined {
  return ITEM_TYPES.find((type) => model[`${type}Fill`] !== null);
}

/** Scans the next rows of that type and queues those without a vector; the model row records the progress. */
export async function backfillBatch(connection: Connection, { id }: EmbeddingModel, limit: number): Promise<void> {
  const model = await findModel(connection, id);
  const type = model && typeToBackfill(model);
  if (model === undefined || type === undefined) return;
  if (model.tenantId === OPERATOR) await backfillOperator(connection, model, type, limit);
  else await backfillTenant(connection, model, type, limit);
}

/** Scans by row number, which is the order of the table across all tenants. */
async function backfillOperator(
  connection: Connection,
  model: EmbeddingModel,
  type: ItemType,
  limit: number,
): Promise<void> {
  const page = `SELECT * FROM ${ROWS[type].table} WHERE number > ? ORDER BY number LIMIT ?`;
  const of: Value[] = [model[`${type}Fill`], limit];
  await insertUnembedded(connection, model, type, { rows: `(${page}) m WHERE 1 = 1`, values: of });
  await connection.run(
    `UPDATE embeddingModels SET ${type}Fill = (SELECT MAX(p.number) FROM (${page}) p) WHERE id = ?`,
    [...of, model.id],
  );
}

/** Scans by tenant and id, so that other tenants' rows cost nothing. All versions of one id are scanned together. */
async function backfillTenant(
  connection: Connection,
  model: EmbeddingModel,
  type: ItemType,
  limit: number,
): Promise<void> {
  const { table } = ROWS[type];
  const { tenantId, fillAfter } = model;
  const last = await connection.get<{ id: string }>(
    `SELECT id FROM ${table} WHERE tenantId = ? AND id > ? ORDER BY id LIMIT 1 OFFSET ?`,
    [tenantId, fillAfter, limit - 1],
  );
  await insertUnembedded(connection, model, type, {
    rows: `${table} m WHERE m.tenantId = ? AND m.id > ?${last ? ' AND m.id <= ?' : ''}`,
    values: [tenantId, fillAfter, ...(last ? [last.id] : [])],
  });
  await connection.run(
    `UPDATE embeddingModels SET ${type}Fill = ${last ? '0' : 'NULL'}, fillAfter = ? WHERE id = ? AND tenantId = ?`,
    [last?.id ?? '', model.id, tenantId],
  );
}

async function insertUnembedded(
  connection: Connection,
  { id }: EmbeddingModel,
  type: ItemType,
  { rows, values }: { rows: string; values: readonly Value[] },
): Promise<void> {
  await connection.run(
    `INSERT OR IGNORE INTO unembedded (model, type, number, tenantId, scope, attempts, dueAt)
     SELECT ?, ?, m.number, m.tenantId, m.scope, 0, 0 FROM ${rows} AND ${ROWS[type].live} AND NOT EXISTS
       (SELECT 1 FROM vectors v WHERE v.model = ? AND v.scope = m.scope AND v.type = ? AND v.number = m.number)`,
    [id, type, ...values, id, type],
  );
}

/** Counts the rows waiting for the operator's models, including rows not scanned yet. */
export async function countWaiting(reader: Reader): Promise<number> {
  const unseen = Object.entries(ROWS).map(
    ([type, { table }]) => `(SELECT COUNT(*) FROM ${table} m WHERE m.number > e.${type}Fill)`,
  );
  const row = await reader.get<{ count: number }>(
    `SELECT (SELECT COUNT(*) FROM unembedded WHERE model IN (SELECT id FROM embeddingModels WHERE tenantId = ?)) +
       (SELECT COALESCE(SUM(${unseen.join(' + ')}), 0)
        FROM embeddingModels e WHERE e.tenantId = ? AND e.state <> 'retiring') AS count`,
    [OPERATOR, OPERATOR],
  );
  return row!.count;
}

/** Counts the rows waiting for one tenant's model, including rows not scanned yet. */
export async function countWaitingFor(reader: Reader, model: EmbeddingModel): Promise<number> {
  const { id, tenantId, fillAfter } = model;
  const first = typeToBackfill(model);
  const unseen = ITEM_TYPES.filter((type) => model[`${type}Fill`] !== null);
  const counts = unseen.map((type) => `(SELECT COUNT(*) FROM ${ROWS[type].table} WHERE tenantId = ? AND id > ?)`);
  const row = await reader.get<{ count: number }>(
    `SELECT ${['(SELECT COUNT(*) FROM unembedded WHERE model = ? AND tenantId = ?)', ...counts].join(' + ')} AS count`,
    [id, tenantId, ...unseen.flatMap((type) => [tenantId, type === first ? fillAfter : ''])],
  );
  return row!.count;
}
