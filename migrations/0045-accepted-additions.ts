import type { Knex } from 'knex';
import type { Migration } from './index.ts';
import { runOnRow } from './row-trigger.ts';

const ABOUT = `SELECT i."suggestionId" FROM "suggestionItems" i WHERE i."tenantId" = OLD."tenantId" AND i."itemId" = OLD.id`;
/** A suggestion that added the memory keeps its row without texts, so that it is not suggested again; others are deleted. */
const ERASE = `UPDATE suggestions SET content = NULL, evidence = '[]', reason = ''
    WHERE "tenantId" = OLD."tenantId" AND kind = 'add' AND id IN (${ABOUT});
  DELETE FROM suggestions WHERE "tenantId" = OLD."tenantId" AND kind <> 'add' AND id IN (${ABOUT});
  DELETE FROM "suggestionItems" WHERE "tenantId" = OLD."tenantId" AND "suggestionId" IN (${ABOUT})
    AND ("itemId" = OLD.id OR NOT EXISTS (SELECT 1 FROM suggestions s
      WHERE s."tenantId" = "suggestionItems"."tenantId" AND s.id = "suggestionItems"."suggestionId"));`;

/** Accepted suggestions are linked to what they added, whose erasure erases their texts. Runs on both engines. */
export const acceptedAdditions: Migration = {
  name: '0045-accepted-additions',
  async up(db) {
    if (db.client.config.client === 'pg') await db.raw('DROP FUNCTION memory_suggestions_erased CASCADE');
    else await db.raw('DROP TRIGGER memory_suggestions_erased');
    await runOnRow(db, 'memories', 'DELETE', 'memory_suggestions_erased', 'OLD.current = 1', ERASE);
    await linkAccepted(db);
  },
};

/** Links what was accepted before, or erases its texts if what was added is erased already. */
async function linkAccepted(db: Knex): Promise<void> {
  const accepted = await db('suggestions')
    .select('tenantId', 'id', 'applied')
    .where({ state: 'accepted', kind: 'add' })
    .whereNotNull('applied');
  for (const { tenantId, id, applied } of accepted) {
    for (const { id: itemId } of JSON.parse(applied).added) {
      const kept = await db('memories').where({ tenantId, id: itemId, current: 1 }).first('id');
      if (kept) await db('suggestionItems').insert({ tenantId, itemId, suggestionId: id });
      else await db('suggestions').where({ tenantId, id }).update({ content: null, evidence: '[]', reason: '' });
    }
  }
}
