import type { Migration } from './index.ts';

/** The latest change of a user's memories and episodes, for the entity tag of the user. Runs on both engines. */
export const latestChanges: Migration = {
  name: '0048-latest-changes',
  async up(db) {
    // The condition holds for every row: statements without it keep their indexes.
    await db.raw(`CREATE INDEX memories_user_updated ON memories ("tenantId", "endUser", "updatedAt")
      WHERE "updatedAt" > 0 AND current = 1`);
    await db.raw(`CREATE INDEX episodes_user_updated ON episodes ("tenantId", "endUser", "updatedAt")
      WHERE "updatedAt" > 0`);
  },
};
