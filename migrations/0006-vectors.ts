import type { Migration } from './index.ts';

/** Vectors, the models that produced them, and the queue of rows to embed. */
export const vectors: Migration = {
  name: '0006-vectors',
  async up(db) {
    await db.schema.createTable('embeddingModels', (table) => {
      table.increments('id');
      table.text('name').notNullable();
      // Null until the model's first response.
      table.integer('dimensions');
      // serving: used by searches; filling: serves once it has all vectors; retiring: its vectors are being deleted.
      table.text('state').notNullable();
      // Row id up to which each type was scanned for rows without a vector; null when the scan is complete.
      table.bigInteger('memoryFill');
      table.bigInteger('messageFill');
      table.bigInteger('episodeFill');
    });
    // Clustered, so that a search reads one user's vectors from pages that hold no others. Rows of up to about 1,000 bytes
    // are stored in the tree itself.
    await db.raw(`CREATE TABLE vectors (model INTEGER NOT NULL, scope INTEGER NOT NULL, type TEXT NOT NULL,
      number BIGINT NOT NULL, "tenantId" TEXT NOT NULL, embedding BLOB NOT NULL,
      PRIMARY KEY (model, scope, type, number)) WITHOUT ROWID`);
    await db.raw('CREATE INDEX vectors_row ON vectors (type, number)');
    await db.schema.createTable('unembedded', (table) => {
      // A changed row gets a new job id, so that a vector of its old text is not accepted.
      table.increments('id');
      table.integer('model').notNullable();
      table.text('type').notNullable();
      table.bigInteger('number').notNullable();
      table.text('tenantId').notNullable();
      table.integer('scope').notNullable();
      // How often the model refused this text.
      table.integer('attempts').notNullable();
      table.bigInteger('dueAt').notNullable();
      table.unique(['type', 'number', 'model']);
      table.index(['model', 'tenantId', 'dueAt']);
    });
  },
};
