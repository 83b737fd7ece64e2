import type { Migration } from './index.ts';

/** The rows that a write left to be indexed after its transaction; empty while no write is under way. */
export const textsToIndex: Migration = {
  name: '0015-texts-to-index',
  async up(db) {
    await db.raw(`CREATE TABLE "textsToIndex" ("tenantId" TEXT NOT NULL, type TEXT NOT NULL, number INTEGER NOT NULL,
      PRIMARY KEY ("tenantId", type, number))`);
  },
};
