import { logChange } from './0021-changes.ts';
import type { Migration } from './index.ts';
import { runOnRow } from './row-trigger.ts';
import { createTenantTable } from './tenant-table.ts';

const ofUser = `(SELECT s.scope FROM scopes s WHERE s."tenantId" = NEW."tenantId" AND s."endUser" = NEW."endUser")`;
const SUGGESTION = { table: 'suggestions', itemId: 'NEW.id', scope: ofUser } as const;

/** The suggestions about the item of a row. */
const about = (row: 'NEW' | 'OLD') =>
  `SELECT i."suggestionId" FROM "suggestionItems" i WHERE i."tenantId" = ${row}."tenantId" AND i."itemId" = ${row}.id`;

const OUTDATE = `UPDATE suggestions SET state = 'outdated'
  WHERE "tenantId" = NEW."tenantId" AND state = 'open' AND id IN (${about('NEW')});`;
const ERASE = `DELETE FROM suggestions WHERE "tenantId" = OLD."tenantId" AND id IN (${about('OLD')});
  DELETE FROM "suggestionItems" WHERE "tenantId" = OLD."tenantId" AND "suggestionId" IN (${about('OLD')});`;

/**
 * Suggested changes of memories. Triggers keep them in step with what they are about, in the transaction of every write:
 * a changed memory makes them outdated, an erased memory or message erases them. Runs on both engines.
 */
export const suggestions: Migration = {
  name: '0033-suggestions',
  async up(db) {
    // `textsHash` identifies what is suggested by the texts that it is about, so that nothing is suggested twice.
    // `applied` is JSON: what accepting changed, from which it is undone.
    await createTenantTable(
      db,
      'suggestions',
      `id text NOT NULL, "textsHash" text NOT NULL, "endUser" text NOT NULL, project text, kind text NOT NULL,
      state text NOT NULL, "memoryIds" text NOT NULL, content text, "validFrom" bigint, evidence text NOT NULL,
      reason text NOT NULL, confidence double precision NOT NULL, suggester text NOT NULL, "suggesterName" text,
      "createdAt" bigint NOT NULL, "decidedAt" bigint, "decidedBy" text, "undoneAt" bigint, applied text,
      PRIMARY KEY ("tenantId", id)`,
    );
    await db.raw('CREATE UNIQUE INDEX suggestions_texts ON suggestions ("tenantId", "textsHash")');
    await db.raw('CREATE INDEX suggestions_state ON suggestions ("tenantId", state, id)');
    // The memories and messages that a suggestion is about.
    await createTenantTable(
      db,
      'suggestionItems',
      '"itemId" text NOT NULL, "suggestionId" text NOT NULL, PRIMARY KEY ("tenantId", "itemId", "suggestionId")',
    );
    await db.raw('CREATE INDEX "suggestionItems_suggestion" ON "suggestionItems" ("tenantId", "suggestionId")');
    // Through which change the memories of a tenant are compared; with `afterId` all are being compared, in the order of ids.
    await createTenantTable(
      db,
      'comparedMemories',
      '"changeNumber" bigint NOT NULL, "afterId" text, PRIMARY KEY ("tenantId")',
    );
    await runOnRow(db, 'memories', 'UPDATE OF current, "validTo"', 'suggestions_outdated', 'OLD.current = 1', OUTDATE);
    await runOnRow(db, 'memories', 'DELETE', 'memory_suggestions_erased', 'OLD.current = 1', ERASE);
    await runOnRow(db, 'messages', 'UPDATE OF content', 'message_suggestions_changed', '1 = 1', ERASE);
    await runOnRow(db, 'messages', 'DELETE', 'message_suggestions_erased', '1 = 1', ERASE);
    await logChange(db, { ...SUGGESTION, on: 'INSERT', kind: `'suggestion.created'` });
    await logChange(db, {
      ...SUGGESTION,
      ...{ on: 'UPDATE', of: ['state', 'undoneAt'], when: `NEW.state <> OLD.state AND NEW.state <> 'outdated'` },
      kind: `CASE WHEN COALESCE(NEW."undoneAt", 0) <> COALESCE(OLD."undoneAt", 0) THEN 'suggestion.undone'
        WHEN NEW.state = 'open' THEN 'suggestion.created' WHEN NEW.state = 'accepted' THEN 'suggestion.accepted'
        ELSE 'suggestion.rejected' END`,
    });
    await logChange(db, {
      ...{ table: 'memories', name: 'validity', on: 'UPDATE', of: ['validTo'] },
      // One that another takes the place of is logged by its `supersededBy`.
      when: `NEW.current = 1 AND ((NEW."validTo" IS NULL AND OLD."validTo" IS NOT NULL)
        OR (NEW."validTo" IS NOT NULL AND OLD."validTo" IS NULL AND NEW."supersededBy" IS NULL))`,
      ...{ kind: `'memory.updated'`, itemId: 'NEW.id', scope: 'NEW.scope' },
    });
  },
};
