import type { Migration } from './index.ts';

/** Whether uses that nobody reported count for a user. Runs on both engines. */
export const inferredUses: Migration = {
  name: '0035-inferred-uses',
  async up(db) {
    await db.raw('ALTER TABLE learned ADD COLUMN "infersUses" bigint NOT NULL DEFAULT 1');
  },
};
