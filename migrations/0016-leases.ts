import type { Migration } from './index.ts';

/** What keeps several daemons from doing the same work at once. Runs on both engines. */
export const leases: Migration = {
  name: '0016-leases',
  async up(db) {
    await db.raw(`CREATE TABLE leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, "expiresAt" BIGINT NOT NULL,
      fence BIGINT NOT NULL)`);
    // How often a job was claimed: whoever claimed it earlier can no longer change it.
    await db.raw('ALTER TABLE jobs ADD COLUMN fence BIGINT NOT NULL DEFAULT 0');
  },
};
