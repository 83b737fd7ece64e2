import { logChange } from './0021-changes.ts';
import type { Migration } from './index.ts';
import { runOnRow } from './row-trigger.ts';

/** A suggestion names the newest of its memories last. */
const OUTDATE = `UPDATE suggestions SET state = 'outdated' WHERE "tenantId" = NEW."tenantId" AND state = 'open'
  AND kind = 'supersede' AND "memoryIds" NOT LIKE '%' || NEW.id || '"]'
  AND id IN (SELECT i."suggestionId" FROM "suggestionItems" i
    WHERE i."tenantId" = NEW."tenantId" AND i."itemId" = NEW.id);`;

/** When a memory was corrected or stored again, which nothing said before supersedes. Runs on both engines. */
export const memoriesSaidAgain: Migration = {
  name: '0047-memories-said-again',
  async up(db) {
    const integer = db.client.config.client === 'pg' ? 'bigint' : 'INTEGER';
    await db.raw(`ALTER TABLE memories ADD COLUMN "saidAt" ${integer}`);
    const isSaidAgain = `NEW.current = 1 AND NEW."saidAt" IS NOT NULL`;
    await runOnRow(db, 'memories', 'UPDATE OF "saidAt"', 'supersede_suggestions_outdated', isSaidAgain, OUTDATE);
    await logChange(db, {
      ...{
        table: 'memories',
        name: 'said',
        on: 'UPDATE',
        of: ['saidAt'],
        when: `${isSaidAgain} AND NEW."validTo" IS NULL`,
      },
      ...{ kind: `'memory.updated'`, itemId: 'NEW.id', scope: 'NEW.scope' },
    });
  },
};
