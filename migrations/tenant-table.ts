import type { Knex } from 'knex';
import { createTenantTable as createPostgresTable, TEXT } from './postgres/tables.ts';

/**
 * Creates a table of rows that belong to tenants on either engine, with `"tenantId"` as its first column. The types of
 * `columns` are `text`, `bigint` and those that both engines know.
 */
export async function createTenantTable(db: Knex, name: string, columns: string): Promise<void> {
  if (db.client.config.client === 'pg') {
    await createPostgresTable(db, name, columns.replaceAll(/\btext\b/g, TEXT));
  } else await db.raw(`CREATE TABLE "${name}" ("tenantId" text NOT NULL, ${columns})`);
}
