import type { Migration } from './index.ts';
import { runOnRow } from './row-trigger.ts';
import { createTenantTable } from './tenant-table.ts';

const FORGET = `DELETE FROM "passingMemories" WHERE "tenantId" = OLD."tenantId" AND "memoryId" = OLD.id;`;

/**
 * When to look again at memories that state a time. A trigger forgets that of an erased memory in the transaction of the
 * erasure. Runs on both engines.
 */
export const passingMemories: Migration = {
  name: '0041-passing-memories',
  async up(db) {
    await createTenantTable(
      db,
      'passingMemories',
      '"memoryId" text NOT NULL, "dueAt" bigint NOT NULL, PRIMARY KEY ("tenantId", "memoryId")',
    );
    await db.raw('CREATE INDEX "passingMemories_due" ON "passingMemories" ("dueAt", "tenantId", "memoryId")');
    // Memories that were compared before get their times when they are read for topics (0039).
    await runOnRow(db, 'memories', 'DELETE', 'passing_memory_forgotten', 'OLD.current = 1', FORGET);
  },
};
