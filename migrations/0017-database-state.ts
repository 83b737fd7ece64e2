import type { Migration } from './index.ts';

/** Whether the database serves, or is one end of a move to another database. Runs on both engines. */
export const databaseState: Migration = {
  name: '0017-database-state',
  async up(db) {
    const text = db.client.config.client === 'pg' ? 'TEXT COLLATE "C"' : 'TEXT';
    // One row at most; without it the database serves. arriving: a move fills it; moved: another one took its place.
    await db.raw(`CREATE TABLE "databaseState" (id BIGINT PRIMARY KEY, state ${text} NOT NULL,
      "otherEnd" ${text} NOT NULL, at BIGINT NOT NULL)`);
  },
};
