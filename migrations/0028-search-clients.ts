import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** Which client ran a search. Runs on both engines. */
export const searchClients: Migration = {
  name: '0028-search-clients',
  async up(db) {
    // Null in rows that were stored before, and where the client is not known.
    await db.raw(`ALTER TABLE searches ADD COLUMN client ${db.client.config.client === 'pg' ? TEXT : 'TEXT'}`);
  },
};
