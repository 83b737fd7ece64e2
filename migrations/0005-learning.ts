import type { Migration } from './index.ts';

/** Learned ranking per end user, searches still open for feedback, and the learning curve by day. */
export const learning: Migration = {
  name: '0005-learning',
  async up(db) {
    await db.schema.createTable('learned', (table) => {
      table.text('tenantId').notNullable();
      table.text('endUser').notNullable();
      table.binary('state').notNullable();
      table.integer('events').notNullable();
      table.bigInteger('updatedAt').notNullable();
      table.primary(['tenantId', 'endUser']);
    });
    await db.schema.createTable('searches', (table) => {
      table.text('tenantId').notNullable();
      table.text('id').notNullable();
      table.text('endUser').notNullable();
      table.text('bucket').notNullable();
      // Ids of the recorded candidates in default ranking order, separated by spaces.
      table.text('candidates').notNullable();
      // Their signals as 16-bit fixed-point numbers, and the indexes of those that were shown.
      table.binary('signals').notNullable();
      table.binary('shown').notNullable();
      table.bigInteger('createdAt').notNullable();
      // Ids already learned from, separated by spaces; `feedbackAt` is set once explicit feedback arrived.
      table.text('learnedFrom').notNullable();
      table.bigInteger('feedbackAt');
      table.primary(['tenantId', 'id']);
      table.index(['createdAt']);
    });
    await db.schema.createTable('learningDays', (table) => {
      table.text('tenantId').notNullable();
      table.text('endUser').notNullable();
      table.text('day').notNullable();
      table.integer('feedbacks').notNullable();
      // Sums of the used results' reciprocal ranks, as shown and in the default ranking.
      table.double('shownRanks').notNullable();
      table.double('defaultRanks').notNullable();
      table.primary(['tenantId', 'endUser', 'day']);
      table.index(['tenantId', 'day']);
    });
  },
};
