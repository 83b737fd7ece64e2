import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader, type Value } from '../../../src/db/connection.ts';
import { backfillBatch, countWaitingFor } from '../../../src/features/embeddings/backfill-store.ts';
import { type EmbeddingModel, listModels, selectModel } from '../../../src/features/embeddings/models-store.ts';
import { findServing, listOpenModels } from '../../../src/features/embeddings/tenant-models-store.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';

let folder: string;
let connection: Connection;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-models-'));
  await createMigratedDatabase(folder);
  connection = await openConnection(join(folder, 'svc.db'));
});
afterEach(async () => {
  await connection.close();
  await rm(folder, { recursive: true });
});

async function insertJob(model: number, tenantId: string, dueAt: number): Promise<void> {
  await connection.run(
    `INSERT INTO unembedded (model, type, number, tenantId, scope, attempts, dueAt) VALUES (?, 'memory', ?, ?, 1, 0, ?)`,
    [model, model, tenantId, dueAt],
  );
}

/** Inserts memories with several versions each; only the last version is live. */
async function insertMemories(tenantId: string, count: number, versions: number): Promise<void> {
  await connection.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?),
       v (version) AS (SELECT 1 UNION ALL SELECT version + 1 FROM v WHERE version < ?)
     INSERT INTO memories (tenantId, id, version, current, scope, endUser, content, contentHash, tags, metadata, validFrom,
       createdAt, updatedAt)
     SELECT ?, printf('mem_%05d', i), version, version = ?, 1, 'default', 'x', i || ' ' || version, '[]', '{}', 1, 1, 1
     FROM n CROSS JOIN v`,
    [count, versions, tenantId, versions],
  );
}

async function modelOf(tenantId: string): Promise<EmbeddingModel> {
  return (await listModels(connection, tenantId))[0]!;
}

/** The query plan of a statement. */
function plansOf(statements: string[]): Reader {
  const explain = async (sql: string, values?: readonly Value[]) => {
    const steps = await connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    statements.push(...steps.map(({ detail }) => detail));
  };
  return {
    engine: 'sqlite',
    async all<T>(sql: string, values?: readonly Value[]) {
      await explain(sql, values);
      return [] as T[];
    },
    async get(sql, values) {
      await explain(sql, values);
      return undefined;
    },
  };
}

test('finds the models with work among a thousand using index lookups only', async () => {
  for (let index = 0; index < 1000; index += 1) {
    await connection.run(
      `INSERT INTO embeddingModels (tenantId, provider, name, state) VALUES (?, 'openai', 'small', 'serving')`,
      [`ten_${index}`],
    );
  }
  expect(await listOpenModels(connection, 100)).toEqual([]);
  await insertJob(500, 'ten_499', 100);
  await insertJob(600, 'ten_599', 101);
  await connection.run(`UPDATE embeddingModels SET state = 'retiring' WHERE id = 700`);
  await connection.run('UPDATE embeddingModels SET episodeFill = 0 WHERE id = 800');
  await connection.run(`INSERT INTO embeddingModels (name, state, memoryFill) VALUES ('operators', 'serving', 0)`);
  await insertJob(1001, 'ten_1', 100);
  expect((await listOpenModels(connection, 100)).map(({ id }) => id)).toEqual([500, 700, 800]);

  const steps: string[] = [];
  await listOpenModels(plansOf(steps), 100);
  await findServing(plansOf(steps), 'ten_1');
  expect(steps).toContain('SCAN embeddingModels USING INDEX embedding_models_open');
  expect(
    steps.filter((step) => /^SCAN (?!w$|CONSTANT ROW|embeddingModels USING INDEX embedding_models_open)/.test(step)),
  ).toEqual([]);
});

test("a tenant's model queues each of the tenant's rows once, whatever the batch size and number of versions", async () => {
  await insertMemories('ten_a', 47, 3);
  await insertMemories('ten_b', 60, 1);
  await selectModel(connection, { tenantId: 'ten_a', provider: 'openai', name: 'small' }, true);
  expect(await countWaitingFor(connection, await modelOf('ten_a'))).toBe(47 * 3);
  let portions = 0;
  for (; (await modelOf('ten_a')).memoryFill !== null; portions += 1) {
    await backfillBatch(connection, await modelOf('ten_a'), 10);
  }
  // Each batch ends at a whole memory: 12 of 141 rows.
  expect(portions).toBe(12);
  const noted = await connection.all<{ tenantId: string; number: number }>('SELECT tenantId, number FROM unembedded');
  expect(new Set(noted.map(({ tenantId }) => tenantId))).toEqual(new Set(['ten_a']));
  const live = await connection.all('SELECT number FROM memories WHERE tenantId = ? AND current = 1', ['ten_a']);
  expect(noted.map(({ number }) => number).sort((a, b) => a - b)).toEqual(live.map(({ number }) => number));
  expect(await countWaitingFor(connection, await modelOf('ten_a'))).toBe(47);
});
