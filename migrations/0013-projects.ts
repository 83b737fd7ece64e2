import type { Migration } from './index.ts';

/** Projects of memories, conversations and episodes, and external ids of memories. */
export const projects: Migration = {
  name: '0013-projects',
  async up(db) {
    for (const table of ['memories', 'conversations', 'episodes']) {
      await db.raw(`ALTER TABLE ${table} ADD COLUMN project TEXT`);
    }
    // For lists of one project alone.
    await db.raw(`CREATE INDEX memories_project ON memories ("tenantId", project, id)
      WHERE project IS NOT NULL AND current = 1`);
    for (const table of ['conversations', 'episodes']) {
      await db.raw(`CREATE INDEX ${table}_project ON ${table} ("tenantId", project, id) WHERE project IS NOT NULL`);
    }
    await db.raw('ALTER TABLE memories ADD COLUMN "externalId" TEXT');
    // A superseded memory no longer holds its external id.
    await db.raw(`CREATE UNIQUE INDEX memories_external ON memories ("tenantId", "externalId", "endUser")
      WHERE "externalId" IS NOT NULL AND current = 1 AND "validTo" IS NULL`);
  },
};
