import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { countRows, insertSample, tablesWith } from '../../helpers/tables.ts';
import { makeTenant } from '../limits/tenants.ts';

/** Rows are written straight into every table, so that a new table needs no line here to be covered. */

/** Removed with the rows that they belong to: test/features/embeddings and test/features/text have the tests. */
const FOLLOW_THEIR_ROWS = ['textDocuments', 'textPostings', 'unembedded', 'vectors', 'wordTotals'];

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());

const rowsIn = (table: string, tenantId: string) => countRows(daemon.db.readers, table, { tenantId });

test('erasing an account empties every table that names a tenant, and leaves other accounts alone', async () => {
  const tenant = await makeTenant(daemon, 'erased@example.com');
  const neighbor = await makeTenant(daemon, 'neighbor@example.com');
  const named = await tablesWith(daemon.db.readers, 'tenantId');
  const tables = named.filter((table) => !FOLLOW_THEIR_ROWS.includes(table));
  expect(tables.length).toBeGreaterThan(20);
  const unfilled: string[] = [];
  for (const table of tables) {
    if ((await rowsIn(table, tenant.tenantId)) > 0) continue;
    await daemon.db.writes.write('daemon', (connection) =>
      insertSample(connection, table, { tenantId: tenant.tenantId }),
    );
    if ((await rowsIn(table, tenant.tenantId)) === 0) unfilled.push(table);
  }
  expect(unfilled).toEqual([]);
  const before = await rowsIn('tenants', neighbor.tenantId);

  expect((await daemon.call(tenant.apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);

  const remaining: string[] = [];
  for (const table of tables) if ((await rowsIn(table, tenant.tenantId)) > 0) remaining.push(table);
  expect(remaining).toEqual([]);
  expect(await rowsIn('tenants', neighbor.tenantId)).toBe(before);
});
