import type { Migration } from './index.ts';

/** Conversations with their messages, episodes, and full-text indexes for both. */
export const conversations: Migration = {
  name: '0003-conversations',
  async up(db) {
    await db.schema.createTable('conversations', (table) => {
      table.text('tenantId').notNullable();
      table.text('id').notNullable();
      table.integer('scope').notNullable();
      table.text('endUser').notNullable();
      table.text('title');
      table.text('metadata').notNullable();
      table.integer('version').notNullable();
      table.integer('messageCount').notNullable();
      table.integer('lastOrdinal').notNullable();
      // Ordinal up to which svc has cut the conversation into episodes; null if cutting was never requested.
      table.integer('cutThrough');
      table.bigInteger('lastMessageAt');
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('updatedAt').notNullable();
      // Set while a large conversation's rows are being erased.
      table.bigInteger('erasedAt');
      table.primary(['tenantId', 'id']);
      table.index(['tenantId', 'endUser', 'id']);
    });
    await db.raw('CREATE INDEX conversations_erased ON conversations ("erasedAt") WHERE "erasedAt" IS NOT NULL');
    await db.raw(`CREATE INDEX conversations_uncut ON conversations ("tenantId", id)
      WHERE "cutThrough" IS NOT NULL AND "cutThrough" < "lastOrdinal"`);
    await db.schema.createTable('messages', (table) => {
      table.increments('number');
      table.text('tenantId').notNullable();
      table.text('conversationId').notNullable();
      table.integer('ordinal').notNullable();
      table.text('id').notNullable();
      table.integer('scope').notNullable();
      table.text('role').notNullable();
      table.text('name');
      table.text('content').notNullable();
      table.text('metadata').notNullable();
      table.bigInteger('createdAt').notNullable();
      table.unique(['tenantId', 'conversationId', 'ordinal']);
      table.unique(['tenantId', 'id']);
    });
    await db.schema.createTable('episodes', (table) => {
      table.increments('number');
      table.text('tenantId').notNullable();
      table.text('id').notNullable();
      table.integer('scope').notNullable();
      table.text('endUser').notNullable();
      table.text('title').notNullable();
      table.text('summary');
      table.text('outcome');
      table.text('conversationId');
      table.integer('fromOrdinal');
      table.integer('toOrdinal');
      table.text('fromMessageId');
      table.text('toMessageId');
      table.text('memoryIds').notNullable();
      table.text('metadata').notNullable();
      // 1 if svc cut it from a conversation: it then follows the conversation's messages.
      table.integer('cut').notNullable();
      // Parts of a cut episode that a person edited and svc must not overwrite: 1 title, 2 summary, 3 both.
      table.integer('edited').notNullable();
      table.integer('version').notNullable();
      table.bigInteger('startedAt').notNullable();
      table.bigInteger('endedAt').notNullable();
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('updatedAt').notNullable();
      table.unique(['tenantId', 'id']);
      table.index(['tenantId', 'endUser', 'id']);
      table.index(['tenantId', 'conversationId', 'id']);
      table.index(['tenantId', 'conversationId', 'cut', 'fromOrdinal']);
    });
    // SQLite only, like memoryText.
    for (const index of ['messageText', 'episodeText']) {
      await db.raw(`CREATE VIRTUAL TABLE "${index}" USING fts5(body, content='', contentless_delete=1,
        tokenize="porter ascii tokenchars '_'")`);
    }
  },
};
