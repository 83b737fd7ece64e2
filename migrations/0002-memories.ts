import type { Migration } from './index.ts';

/** Memories with all versions and tags, and their full-text index. */
export const memories: Migration = {
  name: '0002-memories',
  async up(db) {
    // A small integer per tenant and end user; it prefixes every token in the full-text index.
    await db.schema.createTable('scopes', (table) => {
      table.increments('scope');
      table.text('tenantId').notNullable();
      table.text('endUser').notNullable();
      table.unique(['tenantId', 'endUser']);
    });
    await db.schema.createTable('memories', (table) => {
      table.increments('number');
      table.text('tenantId').notNullable();
      table.text('id').notNullable();
      table.integer('version').notNullable();
      table.integer('current').notNullable();
      table.integer('scope').notNullable();
      table.text('endUser').notNullable();
      table.text('content').notNullable();
      table.text('contentHash').notNullable();
      table.text('tags').notNullable();
      table.text('metadata').notNullable();
      table.text('source');
      table.bigInteger('occurredAt');
      table.bigInteger('expiresAt');
      table.bigInteger('validFrom').notNullable();
      table.bigInteger('validTo');
      table.text('supersededBy');
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('updatedAt').notNullable();
      table.unique(['tenantId', 'id', 'version']);
      table.index(['tenantId', 'endUser', 'id']);
    });
    // Partial indexes have the same syntax in SQLite and PostgreSQL.
    await db.raw(`CREATE UNIQUE INDEX memories_live_content ON memories ("tenantId", "endUser", "contentHash")
      WHERE current = 1 AND "validTo" IS NULL`);
    await db.raw(`CREATE INDEX memories_expiry ON memories ("expiresAt")
      WHERE "expiresAt" IS NOT NULL AND current = 1`);
    await db.raw(`CREATE INDEX memories_superseded ON memories ("tenantId", "supersededBy")
      WHERE "supersededBy" IS NOT NULL`);
    await db.schema.createTable('memoryTags', (table) => {
      table.text('tenantId').notNullable();
      table.text('tag').notNullable();
      table.text('memoryId').notNullable();
      table.primary(['tenantId', 'tag', 'memoryId']);
    });
    await db.raw('CREATE INDEX memory_tags_of ON "memoryTags" ("tenantId", "memoryId")');
    // SQLite only (PostgreSQL has tsvector). Contentless, so the text is stored once; tokens carry the scope. Words arrive
    // split and folded, so `ascii` keeps them whole in every script.
    await db.raw(`CREATE VIRTUAL TABLE "memoryText" USING fts5(body, content='', contentless_delete=1,
      tokenize="porter ascii tokenchars '_'")`);
  },
};
