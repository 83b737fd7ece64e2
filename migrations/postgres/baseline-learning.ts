import type { Knex } from 'knex';
import { createTenantTable, TEXT } from './tables.ts';

/** Searches kept for feedback, learned rankings, and the totals that BM25 needs. */
export async function createLearningTables(db: Knex): Promise<void> {
  await createTenantTable(
    db,
    'searches',
    `id ${TEXT} NOT NULL,
     "endUser" ${TEXT} NOT NULL,
     bucket ${TEXT} NOT NULL,
     -- Ids of the recorded candidates in default ranking order, separated by spaces.
     candidates ${TEXT} NOT NULL,
     -- Their signals as 16-bit fixed-point numbers, and the indexes of those that were shown.
     signals bytea NOT NULL,
     shown bytea NOT NULL,
     "createdAt" bigint NOT NULL,
     -- Ids already learned from, separated by spaces; "feedbackAt" is set once explicit feedback arrived.
     "learnedFrom" ${TEXT} NOT NULL,
     "feedbackAt" bigint,
     PRIMARY KEY ("tenantId", id)`,
  );
  await db.raw('CREATE INDEX searches_created ON searches ("createdAt")');
  await db.raw('CREATE INDEX searches_user ON searches ("tenantId", "endUser")');
  await createTenantTable(
    db,
    'learned',
    `"endUser" ${TEXT} NOT NULL,
     state bytea NOT NULL,
     events bigint NOT NULL,
     "updatedAt" bigint NOT NULL,
     PRIMARY KEY ("tenantId", "endUser")`,
  );
  await createTenantTable(
    db,
    'learningDays',
    `"endUser" ${TEXT} NOT NULL,
     day ${TEXT} NOT NULL,
     feedbacks bigint NOT NULL,
     -- Sums of the used results' reciprocal ranks, as shown and in the default ranking.
     "shownRanks" double precision NOT NULL,
     "defaultRanks" double precision NOT NULL,
     PRIMARY KEY ("tenantId", "endUser", day)`,
  );
  await db.raw('CREATE INDEX learning_days_day ON "learningDays" ("tenantId", day)');
  await createTenantTable(
    db,
    'wordTotals',
    `scope bigint NOT NULL,
     type ${TEXT} NOT NULL,
     documents bigint NOT NULL,
     words bigint NOT NULL,
     passages bigint NOT NULL,
     PRIMARY KEY ("tenantId", scope, type)`,
  );
}
