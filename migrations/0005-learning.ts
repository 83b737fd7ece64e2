import type { Migration } from './index.ts';

/** What the retrieval learned of each end user, the searches that feedback can still come for, and how it went by day. */
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
      // The ids of the remembered candidates, the default ranking's best first, with a space between.
      table.text('candidates').notNullable();
      // Their signals, fixed-point numbers of 16 bits, and which of them were shown, as places among them.
      table.binary('signals').notNullable();
      table.binary('shown').notNullable();
      table.bigInteger('createdAt').notNullable();
      // The ids that were learned from, with a space between; `feedbackAt` where its user has said so.
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
      // Sums of the reciprocal ranks of what was used: as it was shown, and as the default ranking had it.
      table.double('shownRanks').notNullable();
      table.double('defaultRanks').notNullable();
      table.primary(['tenantId', 'endUser', 'day']);
      table.index(['tenantId', 'day']);
    });
  },
};
