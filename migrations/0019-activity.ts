import type { Migration } from './index.ts';
import { createTenantTable, TEXT } from './postgres/tables.ts';

/** The latest requests of each tenant. Runs on both engines. */
export const activity: Migration = {
  name: '0019-activity',
  async up(db) {
    const isPostgres = db.client.config.client === 'pg';
    const text = isPostgres ? TEXT : 'TEXT';
    // `sequence` counts the requests of a tenant; the lowest ones are deleted first. `ids` are separated by spaces.
    const columns = `sequence BIGINT NOT NULL, id ${text} NOT NULL, at BIGINT NOT NULL, client ${text} NOT NULL,
      transport ${text} NOT NULL, method ${text} NOT NULL, route ${text} NOT NULL, status BIGINT NOT NULL,
      microseconds BIGINT NOT NULL, ids ${text} NOT NULL, "searchId" ${text}, PRIMARY KEY ("tenantId", sequence)`;
    if (isPostgres) await createTenantTable(db, 'activity', columns);
    else await db.raw(`CREATE TABLE activity ("tenantId" TEXT NOT NULL, ${columns}) WITHOUT ROWID`);
  },
};
