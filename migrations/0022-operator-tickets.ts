import type { Migration } from './index.ts';

/** Tickets that open the operator's view once. They belong to no tenant. Runs on both engines. */
export const operatorTickets: Migration = {
  name: '0022-operator-tickets',
  async up(db) {
    const text = db.client.config.client === 'pg' ? 'TEXT COLLATE "C"' : 'TEXT';
    await db.raw(`CREATE TABLE "operatorTickets" ("tokenHash" ${text} PRIMARY KEY, "expiresAt" BIGINT NOT NULL)`);
  },
};
