import type { Migration } from './index.ts';
import { runOnRow } from './row-trigger.ts';
import { createTenantTable } from './tenant-table.ts';

/** The topics that an erased memory mentions. */
const MENTIONED = `(SELECT m."topicId" FROM "topicMentions" m WHERE m."tenantId" = OLD."tenantId" AND m."memoryId" = OLD.id)`;
/** Whether a longer name of the topic of `topicNames` has its key as a word. */
const IN_LONGER = `EXISTS (SELECT 1 FROM "topicNames" n WHERE n."tenantId" = OLD."tenantId" AND n."topicId" = "topicNames"."topicId"
  AND n.key <> "topicNames".key
  AND REPLACE(' ' || n.key || ' ', ' ' || "topicNames".key || ' ', '') <> ' ' || n.key || ' ')`;
/** How another memory spells a name, and whether none spells it in its stored form. */
const ELSEWHERE = `FROM "topicMentions" o WHERE o."tenantId" = OLD."tenantId" AND o."topicId" = "topicNames"."topicId"
  AND o.key = "topicNames".key AND o."memoryId" <> OLD.id`;

/** What only the erased memory said must not remain as a name. */
const FORGET = `
  DELETE FROM "topicNames" WHERE "tenantId" = OLD."tenantId" AND "topicId" IN ${MENTIONED} AND source IN ('text', 'kept')
    AND NOT EXISTS (SELECT 1 ${ELSEWHERE});
  DELETE FROM "topicNames" WHERE "tenantId" = OLD."tenantId" AND "topicId" IN ${MENTIONED}
    AND source IN ('part', 'seen', 'ambiguous') AND NOT EXISTS (SELECT 1 ${ELSEWHERE}) AND NOT ${IN_LONGER};
  UPDATE "topicNames" SET spelling = COALESCE((SELECT o.spelling ${ELSEWHERE} ORDER BY o.at, o."memoryId" LIMIT 1), key)
    WHERE "tenantId" = OLD."tenantId" AND "topicId" IN ${MENTIONED} AND source <> 'given'
      AND NOT EXISTS (SELECT 1 ${ELSEWHERE} AND o.spelling = "topicNames".spelling);
  UPDATE topics SET "memoryCount" = "memoryCount" - 1,
      "lastAt" = COALESCE((SELECT MAX(o.at) FROM "topicMentions" o WHERE o."tenantId" = OLD."tenantId"
        AND o."topicId" = topics.id AND o."memoryId" <> OLD.id), 0)
    WHERE "tenantId" = OLD."tenantId" AND id IN ${MENTIONED};
  DELETE FROM "topicNames" WHERE "tenantId" = OLD."tenantId" AND "topicId" IN
    (SELECT t.id FROM topics t WHERE t."tenantId" = OLD."tenantId" AND t.id IN ${MENTIONED} AND t."memoryCount" < 1);
  DELETE FROM topics WHERE "tenantId" = OLD."tenantId" AND id IN ${MENTIONED} AND "memoryCount" < 1;
  UPDATE topics SET name = COALESCE((SELECT n.spelling FROM "topicNames" n WHERE n."tenantId" = OLD."tenantId"
      AND n."topicId" = topics.id ORDER BY LENGTH(n.key) DESC, n.key LIMIT 1), '…')
    WHERE "tenantId" = OLD."tenantId" AND id IN ${MENTIONED}
      AND NOT EXISTS (SELECT 1 FROM "topicNames" n WHERE n."tenantId" = OLD."tenantId" AND n."topicId" = topics.id
        AND n.spelling = topics.name);
  DELETE FROM "topicMentions" WHERE "tenantId" = OLD."tenantId" AND "memoryId" = OLD.id;`;

/**
 * What the memories of a user are about: topics, their names, and which memory mentions them by which name. A trigger forgets
 * what an erased memory said, in the transaction of the erasure. Runs on both engines.
 */
export const topics: Migration = {
  name: '0039-topics',
  async up(db) {
    await createTenantTable(
      db,
      'topics',
      `id text NOT NULL, "endUser" text NOT NULL, name text NOT NULL, "isNamed" bigint NOT NULL, "isHidden" bigint NOT NULL,
      "memoryCount" bigint NOT NULL, "lastAt" bigint NOT NULL, PRIMARY KEY ("tenantId", id)`,
    );
    await db.raw('CREATE INDEX topics_user ON topics ("tenantId", "endUser")');
    // `source`: see `NameSource` in src/features/topics/topics-store.ts.
    await createTenantTable(
      db,
      'topicNames',
      `"endUser" text NOT NULL, key text NOT NULL, "topicId" text NOT NULL, spelling text NOT NULL, source text NOT NULL,
      PRIMARY KEY ("tenantId", "endUser", key)`,
    );
    await db.raw('CREATE INDEX "topicNames_topic" ON "topicNames" ("tenantId", "topicId")');
    await createTenantTable(
      db,
      'topicMentions',
      `"topicId" text NOT NULL, key text NOT NULL, "memoryId" text NOT NULL, at bigint NOT NULL, spelling text NOT NULL,
      PRIMARY KEY ("tenantId", "topicId", key, "memoryId")`,
    );
    await db.raw('CREATE INDEX "topicMentions_memory" ON "topicMentions" ("tenantId", "memoryId")');
    await db.raw('CREATE INDEX "topicMentions_newest" ON "topicMentions" ("tenantId", "topicId", at, "memoryId")');
    await runOnRow(db, 'memories', 'DELETE', 'memory_topics_forgotten', 'OLD.current = 1', FORGET);
    // All memories are read once more, for their topics.
    if (db.client.config.client === 'pg') await db.raw(`SELECT set_config('svc.tenants', '*', true)`);
    await db.raw(`UPDATE "comparedMemories" SET "afterId" = ''`);
    // While all memories are read, how many are left.
    await db.raw('ALTER TABLE "comparedMemories" ADD COLUMN "remaining" bigint NOT NULL DEFAULT 0');
  },
};
