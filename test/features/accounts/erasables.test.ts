import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Value } from '../../../src/db/connection.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { makeTenant } from '../limits/tenants.ts';

/** Rows are written straight into every table, so that a new table needs no line here to be covered. */

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
}

/** Removed with the rows that they belong to: test/features/embeddings and test/features/text have the tests. */
const FOLLOW_THEIR_ROWS = ['unembedded', 'vectors', 'wordTotals'];

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.close());

/** Tables of ours with a `tenantId`; those behind a virtual table are its own. */
async function tenantTables(): Promise<string[]> {
  const rows = await daemon.db.readers.all<{ name: string }>(
    `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'tenantId'
     WHERE m.type = 'table' ORDER BY m.name`,
  );
  return rows.map(({ name }) => name).filter((name) => !FOLLOW_THEIR_ROWS.includes(name));
}

async function countRows(table: string, tenantId: string): Promise<number> {
  const row = await daemon.db.readers.get<{ rows: number }>(
    `SELECT COUNT(*) AS rows FROM "${table}" WHERE tenantId = ?`,
    [tenantId],
  );
  return row!.rows;
}

async function insertRow(table: string, tenantId: string): Promise<void> {
  const columns = await daemon.db.readers.all<Column>(`SELECT * FROM pragma_table_info(?)`, [table]);
  const keyWidth = columns.filter(({ pk }) => pk > 0).length;
  const isRowId = ({ type, pk }: Column) => pk === 1 && keyWidth === 1 && /^integer$/i.test(type);
  const given = columns.filter(
    (column) =>
      column.name === 'tenantId' ||
      ((column.notnull === 1 || column.pk > 0) && column.dflt_value === null && !isRowId(column)),
  );
  const values = given.map(({ name, type }, index) => (name === 'tenantId' ? tenantId : sampleValue(type, index)));
  const marks = given.map(() => '?').join(', ');
  await daemon.db.writes.write('daemon', (connection) =>
    connection.run(
      `INSERT INTO "${table}" (${given.map(({ name }) => `"${name}"`).join(', ')}) VALUES (${marks})`,
      values,
    ),
  );
}

/** Beyond what the daemon itself numbers, so that nothing collides. */
function sampleValue(type: string, index: number): Value {
  if (/int/i.test(type)) return 900_000 + index;
  if (/blob/i.test(type)) return Buffer.alloc(8, index);
  if (/real|float|double/i.test(type)) return 0.5;
  return `sample ${index}`;
}

test('erasing an account empties every table that names a tenant, and leaves other accounts alone', async () => {
  const tenant = await makeTenant(daemon, 'erased@example.com');
  const neighbor = await makeTenant(daemon, 'neighbor@example.com');
  const tables = await tenantTables();
  expect(tables.length).toBeGreaterThan(20);
  const unfilled: string[] = [];
  for (const table of tables) {
    if ((await countRows(table, tenant.tenantId)) === 0) await insertRow(table, tenant.tenantId);
    if ((await countRows(table, tenant.tenantId)) === 0) unfilled.push(table);
  }
  expect(unfilled).toEqual([]);
  const before = await countRows('tenants', neighbor.tenantId);

  expect((await daemon.call(tenant.apiKey, '/v1/account', { method: 'DELETE' })).status).toBe(204);

  const remaining: string[] = [];
  for (const table of tables) if ((await countRows(table, tenant.tenantId)) > 0) remaining.push(table);
  expect(remaining).toEqual([]);
  expect(await countRows('tenants', neighbor.tenantId)).toBe(before);
});
