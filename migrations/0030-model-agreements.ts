import type { Migration } from './index.ts';
import { createTenantTable } from './tenant-table.ts';

/** How searches of an account judged each embedding model. Runs on both engines. */
export const modelAgreements: Migration = {
  name: '0030-model-agreements',
  async up(db) {
    // Decaying sums over searches: their number, and the shares of comparisons in which the model agreed with words.
    await createTenantTable(
      db,
      'modelAgreements',
      `model bigint NOT NULL, searches double precision NOT NULL, agreed double precision NOT NULL,
      PRIMARY KEY ("tenantId", model)`,
    );
  },
};
