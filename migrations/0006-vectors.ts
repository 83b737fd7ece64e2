import type { Migration } from './index.ts';

/** Vectors of what is stored, the models that made them, and the rows that wait for theirs. */
export const vectors: Migration = {
  name: '0006-vectors',
  async up(db) {
    await db.schema.createTable('embeddingModels', (table) => {
      table.increments('id');
      table.text('name').notNullable();
      // Empty until its first answer.
      table.integer('dimensions');
      // serving: searches ask it; filling: it will serve once it has everything; retiring: its vectors are on their way out.
      table.text('state').notNullable();
      // Up to which number the rows of each type were looked through for some without a vector; empty where all were.
      table.bigInteger('memoryFill');
      table.bigInteger('messageFill');
      table.bigInteger('episodeFill');
    });
    // Clustered, so that a search reads the vectors of one user from pages that hold no others. Rows of up to a thousand
    // bytes stand in the tree itself.
    await db.raw(`CREATE TABLE vectors (model INTEGER NOT NULL, scope INTEGER NOT NULL, type TEXT NOT NULL,
      number BIGINT NOT NULL, "tenantId" TEXT NOT NULL, embedding BLOB NOT NULL,
      PRIMARY KEY (model, scope, type, number)) WITHOUT ROWID`);
    await db.raw('CREATE INDEX vectors_row ON vectors (type, number)');
    await db.schema.createTable('unembedded', (table) => {
      // A row that is changed gets a new one: a vector of the former text is not taken for it.
      table.increments('id');
      table.integer('model').notNullable();
      table.text('type').notNullable();
      table.bigInteger('number').notNullable();
      table.text('tenantId').notNullable();
      table.integer('scope').notNullable();
      // How often the model refused this very text.
      table.integer('attempts').notNullable();
      table.bigInteger('dueAt').notNullable();
      table.unique(['type', 'number', 'model']);
      table.index(['model', 'tenantId', 'dueAt']);
    });
  },
};
