import type { Migration } from './index.ts';

/** Finds what was decided and undone of late, however much was before. Runs on both engines. */
export const suggestionTimes: Migration = {
  name: '0038-suggestion-times',
  async up(db) {
    await db.raw('CREATE INDEX suggestions_decided ON suggestions ("tenantId", "endUser", "decidedAt")');
    await db.raw(
      `CREATE INDEX suggestions_undone ON suggestions ("tenantId", kind, "undoneAt") WHERE "undoneAt" IS NOT NULL`,
    );
  },
};
