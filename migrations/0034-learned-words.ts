import type { Migration } from './index.ts';
import { runOnRow } from './row-trigger.ts';
import { createTenantTable } from './tenant-table.ts';

const FORGET = `DELETE FROM "learnedWords" WHERE "tenantId" = OLD."tenantId" AND "itemId" = OLD.id;`;

/**
 * Words that users asked for items with. Triggers forget those of an erased item in the transaction of the erasure. Runs on
 * both engines.
 */
export const learnedWords: Migration = {
  name: '0034-learned-words',
  async up(db) {
    // `root` is the stem by which questions match, `word` its last spelling. `strength` fades from `updatedAt` on.
    await createTenantTable(
      db,
      'learnedWords',
      `"endUser" text NOT NULL, root text NOT NULL, "itemId" text NOT NULL, word text NOT NULL,
      strength double precision NOT NULL, uses bigint NOT NULL, "observedUses" bigint NOT NULL,
      "updatedAt" bigint NOT NULL, PRIMARY KEY ("tenantId", "endUser", root, "itemId")`,
    );
    await db.raw('CREATE INDEX "learnedWords_item" ON "learnedWords" ("tenantId", "itemId")');
    await db.raw('CREATE INDEX "learnedWords_newest" ON "learnedWords" ("tenantId", "endUser", "updatedAt")');
    // How likely a search was to have an answer: a question that had none is asked again in other words.
    await db.raw('ALTER TABLE searches ADD COLUMN confidence double precision');
    await db.raw('ALTER TABLE learned ADD COLUMN "usesWords" bigint NOT NULL DEFAULT 1');
    await runOnRow(db, 'memories', 'DELETE', 'memory_words_forgotten', 'OLD.current = 1', FORGET);
    await runOnRow(db, 'messages', 'DELETE', 'message_words_forgotten', '1 = 1', FORGET);
    await runOnRow(db, 'episodes', 'DELETE', 'episode_words_forgotten', '1 = 1', FORGET);
  },
};
