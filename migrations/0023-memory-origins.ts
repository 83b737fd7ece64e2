import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** The client that stored each memory, and the kind of its source, to list memories by. Runs on both engines. */
export const memoryOrigins: Migration = {
  name: '0023-memory-origins',
  async up(db) {
    const isPostgres = db.client.config.client === 'pg';
    const text = isPostgres ? TEXT : 'TEXT';
    // Null where it is not known. A job stores memories for the client that asked for it.
    for (const table of ['memories', 'jobs']) await db.raw(`ALTER TABLE ${table} ADD COLUMN client ${text}`);
    // The most specific id that the source names. Quotation marks inside of ids are escaped.
    await db.raw(`ALTER TABLE memories ADD COLUMN "sourceKind" ${text} GENERATED ALWAYS AS (
      CASE WHEN source LIKE '%"messageId":%' THEN 'message'
        WHEN source LIKE '%"episodeId":%' THEN 'episode'
        WHEN source LIKE '%"conversationId":%' THEN 'conversation' ELSE 'none' END) ${isPostgres ? 'STORED' : 'VIRTUAL'}`);
    await db.raw(`CREATE INDEX memories_client ON memories ("tenantId", client, id)
      WHERE client IS NOT NULL AND current = 1`);
    // Most memories have no source: a list of those is nearly the list of all.
    await db.raw(`CREATE INDEX memories_source_kind ON memories ("tenantId", "sourceKind", id)
      WHERE "sourceKind" <> 'none' AND current = 1`);
    // In the order of lists; the time is in the index, so that only rows that match are read.
    await db.raw(`CREATE INDEX memories_expiring ON memories ("tenantId", id, "expiresAt")
      WHERE "expiresAt" IS NOT NULL AND current = 1`);
  },
};
