import type { Knex } from 'knex';

/** Compared and sorted by its UTF-8 bytes, as in SQLite. */
export const TEXT = 'text COLLATE "C"';

/**
 * The tenants of a transaction, separated by commas, or `*` for all of them: the setting `svc.tenants`. Without it no
 * row is visible. Read in subqueries, which run once per statement instead of once per row.
 */
const IS_VISIBLE = `(SELECT current_setting('svc.tenants', true)) = '*'
  OR "tenantId" = ANY ((SELECT string_to_array(current_setting('svc.tenants', true), ','))::text[])`;

/**
 * Creates a table of rows that belong to tenants, with `"tenantId"` as its first column. Row-level security hides the
 * rows of other tenants, from the owner of the table too: a second fence behind the conditions of the stores.
 */
export async function createTenantTable(db: Knex, name: string, columns: string): Promise<void> {
  await db.raw(`CREATE TABLE "${name}" ("tenantId" ${TEXT} NOT NULL, ${columns})`);
  await db.raw(`ALTER TABLE "${name}" ENABLE ROW LEVEL SECURITY`);
  await db.raw(`ALTER TABLE "${name}" FORCE ROW LEVEL SECURITY`);
  await db.raw(`CREATE POLICY tenants ON "${name}" USING (${IS_VISIBLE})`);
}

/** Shows a table's rows of no tenant, which have an empty `"tenantId"`, to every tenant. */
export async function showRowsOfNoTenant(db: Knex, name: string): Promise<void> {
  await db.raw(`CREATE POLICY nobody ON "${name}" FOR SELECT USING ("tenantId" = '')`);
}
