import type { Migration } from './index.ts';

/** How many items each request found or wrote, of which `ids` names the first. Runs on both engines. */
export const activityItems: Migration = {
  name: '0036-activity-items',
  async up(db) {
    // Null for requests from before.
    await db.raw('ALTER TABLE activity ADD COLUMN "itemCount" BIGINT');
  },
};
