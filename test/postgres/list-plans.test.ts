import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reader } from '../../src/db/connection.ts';
import { type ListFilter, listMemories } from '../../src/features/memories/memory-list-store.ts';
import { type EnginePair, openEnginePair } from './engine-pair.ts';

let pair: EnginePair;

/** Of 5,000 memories, ten are by another client, ten have a source and ten expire. All of another account expire. */
beforeAll(async () => {
  pair = await openEnginePair('list_plans');
  await pair.postgres.writes.write('daemon', async (connection) => {
    await connection.run(
      `INSERT INTO memories (tenantId, number, id, version, current, scope, endUser, content, contentHash, tags,
         metadata, validFrom, createdAt, updatedAt, client, source, expiresAt)
       SELECT t.id, i, 'mem_' || i, 1, 1, 1, 'ann', 'kayak', 'h' || i, '[]', '{}', 0, 0, 0,
         CASE WHEN i % 500 = 1 THEN 'codex' ELSE 'cursor' END,
         CASE WHEN i % 500 = 2 THEN '{"episodeId":"e"}' END, CASE WHEN i % 500 = 3 OR t.id = 'ten_2' THEN i END
       FROM generate_series(1, 5000) AS s (i), (VALUES ('ten_1'), ('ten_2')) AS t (id)`,
    );
    await connection.exec('ANALYZE memories');
  });
});
afterAll(() => pair.close());

/** Lists a page, and returns its length and the plan by which it was read. */
async function page(filter: Partial<ListFilter>): Promise<{ rows: number; plan: string }> {
  let plan = '';
  const reader = pair.postgres.readers.of('ten_1');
  const spy: Reader = {
    ...reader,
    async all(sql, values) {
      const lines = await reader.all<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values);
      plan = lines.map((line) => line['QUERY PLAN']).join('\n');
      return reader.all(sql, values);
    },
  };
  const all = { tenantId: 'ten_1', includeSuperseded: false, nowMs: 0, ...filter };
  const rows = await listMemories(spy, all, { orderBy: 'createdAt', order: 'desc', limit: 51 });
  return { rows: rows.length, plan };
}

test.each<[string, Partial<ListFilter>, string]>([
  ['client', { client: 'codex' }, 'memories_client'],
  ['kind of source', { sourceKind: 'episode' }, 'memories_source_kind'],
  ['expiry', { expires: 'soon' }, 'memories_expiring'],
])('a list of the few memories of one %s reads them by its index', async (_, filter, index) => {
  const { rows, plan } = await page(filter);
  expect(rows).toBe(10);
  expect(plan).toContain(index);
});
