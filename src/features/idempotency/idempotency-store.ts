import type { Connection, Reader } from '../../db/connection.ts';
import { insertRows, padToPowerOfTwo, placeholders } from '../../db/values.ts';

export interface StoredAnswer {
  tenantId: string;
  idempotencyKey: string;
  requestHash: string;
  status: number;
  /** JSON response; `null` once something in it was erased. */
  answer: string | null;
  createdAt: number;
}

export async function findAnswers(
  reader: Reader,
  keys: readonly { tenantId: string; key: string }[],
  notBeforeMs: number,
): Promise<StoredAnswer[]> {
  if (keys.length === 0) return [];
  const padded = padToPowerOfTwo(keys);
  return reader.all<StoredAnswer>(
    `SELECT * FROM idempotencyKeys
     WHERE (tenantId, idempotencyKey) IN (VALUES ${placeholders(padded.length, 2)}) AND createdAt > ?`,
    [...padded.flatMap(({ tenantId, key }) => [tenantId, key]), notBeforeMs],
  );
}

/** Stores answers, overwriting expired ones with the same key. */
export async function insertAnswers(
  connection: Connection,
  answers: readonly (StoredAnswer & { resourceIds: readonly string[] })[],
): Promise<void> {
  if (answers.length === 0) return;
  const padded = padToPowerOfTwo(answers);
  await connection.run(
    `DELETE FROM idempotencyResources
     WHERE (tenantId, idempotencyKey) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap(({ tenantId, idempotencyKey }) => [tenantId, idempotencyKey]),
  );
  await insertRows(
    connection,
    'INSERT INTO idempotencyKeys (tenantId, idempotencyKey, requestHash, status, answer, createdAt)',
    answers.map((row) => [row.tenantId, row.idempotencyKey, row.requestHash, row.status, row.answer, row.createdAt]),
    `ON CONFLICT (tenantId, idempotencyKey) DO UPDATE SET requestHash = excluded.requestHash,
       status = excluded.status, answer = excluded.answer, createdAt = excluded.createdAt`,
  );
  await insertRows(
    connection,
    'INSERT INTO idempotencyResources (tenantId, resourceId, idempotencyKey)',
    answers.flatMap((row) => row.resourceIds.map((id) => [row.tenantId, id, row.idempotencyKey])),
    'ON CONFLICT DO NOTHING',
  );
}

/** Redacts the answers that contain resources that are being erased. */
export async function redactAnswersAbout(
  connection: Connection,
  tenantId: string,
  resourceIds: readonly string[],
): Promise<void> {
  await connection.run(
    `UPDATE idempotencyKeys SET answer = NULL WHERE tenantId = ? AND idempotencyKey IN
       (SELECT r.idempotencyKey FROM texts(?) n CROSS JOIN idempotencyResources r
        ON r.tenantId = ? AND r.resourceId = n.value)`,
    [tenantId, JSON.stringify(resourceIds), tenantId],
  );
}

/** Redacts the answers that contain a text as a whole value. */
export async function redactAnswersNaming(connection: Connection, tenantId: string, value: string): Promise<void> {
  const pattern = JSON.stringify(value).replace(/[!%_]/g, '!$&');
  await connection.run("UPDATE idempotencyKeys SET answer = NULL WHERE tenantId = ? AND answer LIKE ? ESCAPE '!'", [
    tenantId,
    `%${pattern}%`,
  ]);
}

/** Deletes up to `limit` answers and returns how many. */
export async function deleteSomeAnswersBefore(
  connection: Connection,
  beforeMs: number,
  limit: number,
): Promise<number> {
  // The keys first: until this commits, another daemon cannot store a new answer under one of them.
  const deleted = await connection.all<{ tenantId: string; idempotencyKey: string }>(
    // The age again: a key may be stored anew while this waits for it.
    `DELETE FROM idempotencyKeys WHERE createdAt <= ? AND (tenantId, idempotencyKey) IN
       (SELECT tenantId, idempotencyKey FROM idempotencyKeys WHERE createdAt <= ? LIMIT ?)
     RETURNING tenantId, idempotencyKey`,
    [beforeMs, beforeMs, limit],
  );
  if (deleted.length === 0) return 0;
  const padded = padToPowerOfTwo(deleted);
  await connection.run(
    `DELETE FROM idempotencyResources WHERE (tenantId, idempotencyKey) IN (VALUES ${placeholders(padded.length, 2)})`,
    padded.flatMap(({ tenantId, idempotencyKey }) => [tenantId, idempotencyKey]),
  );
  return deleted.length;
}

export async function deleteAnswersOf(connection: Connection, tenantId: string): Promise<void> {
  await connection.run('DELETE FROM idempotencyResources WHERE tenantId = ?', [tenantId]);
  await connection.run('DELETE FROM idempotencyKeys WHERE tenantId = ?', [tenantId]);
}
