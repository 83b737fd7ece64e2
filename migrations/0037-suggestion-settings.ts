import type { Migration } from './index.ts';
import { createTenantTable } from './tenant-table.ts';

/** What happens with suggestions, by kind; a kind without a row waits for review. Runs on both engines. */
export const suggestionSettings: Migration = {
  name: '0037-suggestion-settings',
  async up(db) {
    await createTenantTable(
      db,
      'suggestionSettings',
      'kind text NOT NULL, mode text NOT NULL, "minConfidence" double precision NOT NULL, PRIMARY KEY ("tenantId", kind)',
    );
  },
};
