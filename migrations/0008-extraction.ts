import type { Migration } from './index.ts';

/** Provider settings per account, model usage by day, and extraction jobs. */
export const extraction: Migration = {
  name: '0008-extraction',
  async up(db) {
    await db.schema.createTable('providerSettings', (table) => {
      table.text('tenantId').primary();
      table.text('embeddingProvider');
      table.text('embeddingModel');
      table.text('extractionProvider');
      table.text('extractionModel');
      table.integer('onAppend').notNullable();
      table.bigInteger('dailyTokens');
      table.double('inputPrice');
      table.double('outputPrice');
      table.double('dailySpend');
      table.bigInteger('updatedAt').notNullable();
    });
    await db.schema.createTable('providerUsage', (table) => {
      table.text('tenantId').notNullable();
      table.text('day').notNullable();
      // embedding, extraction
      table.text('purpose').notNullable();
      table.text('provider').notNullable();
      table.text('model').notNullable();
      table.integer('requests').notNullable();
      table.bigInteger('inputTokens').notNullable();
      table.bigInteger('outputTokens').notNullable();
      table.double('spend').notNullable();
      table.primary(['tenantId', 'day', 'purpose', 'provider', 'model']);
    });
    await db.schema.createTable('jobs', (table) => {
      table.text('tenantId').notNullable();
      table.text('id').notNullable();
      table.text('kind').notNullable();
      table.text('state').notNullable();
      table.text('conversationId').notNullable();
      // Null until the model is chosen.
      table.text('provider');
      table.text('model');
      table.integer('dryRun').notNullable();
      // Ordinals up to which messages have been read, and up to which they will be.
      table.integer('fromOrdinal').notNullable();
      table.integer('toOrdinal').notNullable();
      table.integer('done').notNullable();
      table.integer('total').notNullable();
      table.integer('attempts').notNullable();
      table.bigInteger('dueAt').notNullable();
      table.text('errorCode');
      table.text('errorMessage');
      table.bigInteger('errorAt');
      table.integer('requests').notNullable();
      table.bigInteger('inputTokens').notNullable();
      table.bigInteger('outputTokens').notNullable();
      table.double('spend').notNullable();
      // JSON.
      table.text('result').notNullable();
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('updatedAt').notNullable();
      table.bigInteger('finishedAt');
      table.primary(['tenantId', 'id']);
      table.index(['tenantId', 'conversationId', 'id']);
    });
    await db.raw(`CREATE INDEX jobs_open ON jobs ("tenantId", "dueAt") WHERE "finishedAt" IS NULL`);
    await db.raw(`CREATE INDEX jobs_ended ON jobs ("finishedAt") WHERE "finishedAt" IS NOT NULL`);
    // One job per conversation at a time, so that each sees what the previous one stored.
    await db.raw(`CREATE UNIQUE INDEX jobs_one ON jobs ("tenantId", "conversationId", "dryRun")
      WHERE "finishedAt" IS NULL`);
    // Ordinal up to which a conversation was extracted, and when its newer messages become due.
    await db.schema.createTable('extractions', (table) => {
      table.text('tenantId').notNullable();
      table.text('conversationId').notNullable();
      table.integer('throughOrdinal').notNullable();
      table.bigInteger('dueAt');
      table.primary(['tenantId', 'conversationId']);
    });
    await db.raw('CREATE INDEX extractions_due ON extractions ("dueAt") WHERE "dueAt" IS NOT NULL');
  },
};
