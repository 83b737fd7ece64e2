import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';
import { createTenantTable } from './tenant-table.ts';

/** What stored searches asked for, and how often memories were shown and used. Runs on both engines. */
export const openedSearches: Migration = {
  name: '0020-opened-searches',
  async up(db) {
    const text = db.client.config.client === 'pg' ? TEXT : 'TEXT';
    // Null in rows that were stored before. `types` and `irrelevant` are separated by spaces; null types are all types.
    for (const column of ['query', 'project', 'types', 'irrelevant']) {
      await db.raw(`ALTER TABLE searches ADD COLUMN ${column} ${text}`);
    }
    // The searches of a user, newest first.
    await db.raw('DROP INDEX searches_user');
    await db.raw('CREATE INDEX searches_user ON searches ("tenantId", "endUser", id)');
    await createTenantTable(
      db,
      'memoryUses',
      '"memoryId" text NOT NULL, shown bigint NOT NULL, used bigint NOT NULL, PRIMARY KEY ("tenantId", "memoryId")',
    );
  },
};
