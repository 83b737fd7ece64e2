import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Connection, Reader, Value } from '../../db/connection.ts';
import { ROWS } from './embedding-jobs-store.ts';
import { type EmbeddingModel, findModel, listModels, OPERATOR } from './models-store.ts';

/** The first item type whose rows have not all been scanned for missing vectors. */
export function typeToBackfill(model: EmbeddingModel): ItemType | undefined {
  return ITEM_TYPES.find((type) => model[`${type}Fill`] !== null);
}

interface Condition {
  sql: string;
  values: Value[];
}

/** How the rows of a model are scanned: by tenant and id, so that other tenants' rows cost its tenant nothing. */
interface Scan {
  order: string;
  /** The position after a row. */
  position: string;
  after(position: string): Condition;
  until(position: string): Condition;
  /** The jobs that are queued. */
  jobs: Condition;
}

function scanOf({ id, tenantId }: EmbeddingModel): Scan {
  if (tenantId !== OPERATOR) {
    return {
      order: 'm.id',
      position: 'm.id',
      after: (position) => ({ sql: 'm.tenantId = ? AND m.id > ?', values: [tenantId, position] }),
      until: (position) => ({ sql: 'm.id <= ?', values: [position] }),
      jobs: { sql: 'model = ? AND tenantId = ?', values: [id, tenantId] },
    };
  }
  const idsOf = (position: string) => [...position.split(' '), ''].slice(0, 2);
  return {
    order: 'm.tenantId, m.id',
    position: `m.tenantId || ' ' || m.id`,
    after: (position) => ({ sql: '(m.tenantId, m.id) > (?, ?)', values: idsOf(position) }),
    until: (position) => ({ sql: '(m.tenantId, m.id) <= (?, ?)', values: idsOf(position) }),
    jobs: { sql: 'model = ?', values: [id] },
  };
}

/**
 * Scans the next rows of that type and queues those without a vector; the model row records the progress. All versions
 * of one id are scanned together.
 */
export async function backfillBatch(connection: Connection, { id }: EmbeddingModel, limit: number): Promise<void> {
  const model = await findModel(connection, id);
  const type = model && typeToBackfill(model);
  if (model === undefined || type === undefined) return;
  const { table } = ROWS[type];
  const { order, position, ...scan } = scanOf(model);
  const after = scan.after(model.fillAfter);
  const last = await connection.get<{ position: string }>(
    `SELECT ${position} AS position FROM ${table} m WHERE ${after.sql} ORDER BY ${order} LIMIT 1 OFFSET ?`,
    [...after.values, limit - 1],
  );
  const until = last === undefined ? { sql: '1 = 1', values: [] } : scan.until(last.position);
  await insertUnembedded(connection, model, type, {
    sql: `${after.sql} AND ${until.sql}`,
    values: [...after.values, ...until.values],
  });
  await connection.run(
    `UPDATE embeddingModels SET ${type}Fill = ${last ? '0' : 'NULL'}, fillAfter = ? WHERE tenantId = ? AND id = ?`,
    [last?.position ?? '', model.tenantId, model.id],
  );
}

async function insertUnembedded(
  connection: Connection,
  { id }: EmbeddingModel,
  type: ItemType,
  rows: Condition,
): Promise<void> {
  const values: Value[] = [id, type, ...rows.values, id, type];
  await connection.run(
    `INSERT INTO unembedded (model, type, number, tenantId, scope, attempts, dueAt)
     SELECT CAST(? AS BIGINT), CAST(? AS TEXT), m.number, m.tenantId, m.scope, 0, 0 FROM ${ROWS[type].table} m
     WHERE ${rows.sql} AND ${ROWS[type].live} AND NOT EXISTS
       (SELECT 1 FROM vectors v
        WHERE v.tenantId = m.tenantId AND v.model = ? AND v.scope = m.scope AND v.type = ? AND v.number = m.number)
     ON CONFLICT DO NOTHING`,
    values,
  );
}

/** Counts the rows waiting for the operator's models, including rows not scanned yet. */
export async function countWaiting(reader: Reader): Promise<number> {
  let count = 0;
  for (const model of await listModels(reader, OPERATOR)) count += await countWaitingFor(reader, model);
  return count;
}

/** Counts the rows waiting for one model, including rows not scanned yet. */
export async function countWaitingFor(reader: Reader, model: EmbeddingModel): Promise<number> {
  const scan = scanOf(model);
  const first = typeToBackfill(model);
  const unseen = ITEM_TYPES.filter((type) => model.state !== 'retiring' && model[`${type}Fill`] !== null);
  const counts: [string, Condition][] = [
    ['unembedded', scan.jobs],
    ...unseen.map((type): [string, Condition] => [
      `${ROWS[type].table} m`,
      scan.after(type === first ? model.fillAfter : ''),
    ]),
  ];
  const row = await reader.get<{ count: number }>(
    `SELECT ${counts.map(([table, { sql }]) => `(SELECT COUNT(*) FROM ${table} WHERE ${sql})`).join(' + ')} AS count`,
    counts.flatMap(([, { values }]) => values),
  );
  return row!.count;
}
