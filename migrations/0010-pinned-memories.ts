import type { Migration } from './index.ts';

/** Memories that their users pinned. */
export const pinnedMemories: Migration = {
  name: '0010-pinned-memories',
  async up(db) {
    await db.raw('ALTER TABLE memories ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0');
    // For the profile of a user and for the list of a tenant; few memories are pinned.
    await db.raw(`CREATE INDEX memories_pinned_user ON memories ("tenantId", "endUser", id)
      WHERE pinned = 1 AND current = 1`);
    await db.raw('CREATE INDEX memories_pinned ON memories ("tenantId", id) WHERE pinned = 1 AND current = 1');
  },
};
