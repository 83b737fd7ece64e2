import type { Knex } from 'knex';
import type { Migration } from '../index.ts';
import { createAccountTables } from './baseline-accounts.ts';
import { createConversationTables } from './baseline-conversations.ts';
import { createLearningTables } from './baseline-learning.ts';
import { createLimitTables } from './baseline-limits.ts';
import { createMemoryTables } from './baseline-memories.ts';
import { createProviderTables } from './baseline-providers.ts';
import { countStoredBytes } from './baseline-stored-bytes.ts';
import { createTextIndexTables } from './baseline-text-index.ts';
import { createVectorTables } from './baseline-vectors.ts';

/**
 * The state of SQLite's migrations 1 to 15, with another full-text index. Timestamps are epoch milliseconds, booleans
 * are 0 and 1, and integers have 64 bits, as in SQLite.
 */
export const POSTGRES_BASELINE: Migration = {
  name: '0015-baseline',
  async up(db) {
    await db.raw(
      'CREATE TABLE "schemaVersion" ("only" bigint PRIMARY KEY CHECK ("only" = 1), version bigint NOT NULL)',
    );
    await db.raw('INSERT INTO "schemaVersion" VALUES (1, 15)');
    await createListFunctions(db);
    await createAccountTables(db);
    await createMemoryTables(db);
    await createConversationTables(db);
    await createLearningTables(db);
    await createVectorTables(db);
    await createProviderTables(db);
    await createLimitTables(db);
    await createTextIndexTables(db);
    await countStoredBytes(db);
  },
};

/**
 * The rows of a JSON list with their places in it. STRICT keeps the planner from inlining them: the cast of an inlined
 * value could reveal it in an error, so row-level security would not let it choose rows by an index.
 */
async function createListFunctions(db: Knex): Promise<void> {
  for (const [name, type] of [
    ['numbers', 'bigint'],
    ['texts', 'text'],
  ]) {
    await db.raw(`CREATE FUNCTION ${name}(list text) RETURNS TABLE (key bigint, value ${type})
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 50 AS $$
        SELECT place - 1, entry::${type} FROM json_array_elements_text(list::json) WITH ORDINALITY AS entries (entry, place)
      $$`);
  }
}
