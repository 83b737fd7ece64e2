import type { Migration } from './index.ts';

/** Projects of memories, conversations and episodes; external ids of memories, and orders and sources to list them by. */
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
    // Every memory has such a time. The condition keeps SQLite from reading a single memory through this index.
    await db.raw(`CREATE INDEX memories_updated ON memories ("tenantId", "updatedAt", id)
      WHERE "updatedAt" > 0 AND current = 1`);
    await db.raw(`CREATE INDEX memories_occurred ON memories ("tenantId", "occurredAt", id)
      WHERE "occurredAt" IS NOT NULL AND current = 1`);
    // The ids in `source` of current versions.
    await db.schema.createTable('memorySources', (table) => {
      table.text('tenantId').notNullable();
      table.text('sourceId').notNullable();
      table.text('memoryId').notNullable();
      table.primary(['tenantId', 'sourceId', 'memoryId']);
    });
    await db.raw('CREATE INDEX memory_sources_of ON "memorySources" ("tenantId", "memoryId")');
    await db.raw(`INSERT INTO "memorySources" ("tenantId", "sourceId", "memoryId")
      SELECT DISTINCT m."tenantId", s.value, m.id FROM memories m,
        json_each(CASE WHEN json_valid(m.source) THEN m.source ELSE '{}' END) s
      WHERE m.current = 1 AND m.source IS NOT NULL`);
  },
};
