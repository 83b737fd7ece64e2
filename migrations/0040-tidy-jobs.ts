import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';
import { createTenantTable } from './tenant-table.ts';

/**
 * Jobs that tidy the memories of a user: they are about no conversation, and continue after a memory. And when a user's
 * memories were tidied. Runs on both engines.
 */
export const tidyJobs: Migration = {
  name: '0040-tidy-jobs',
  async up(db) {
    const isPostgres = db.client.config.client === 'pg';
    const text = isPostgres ? TEXT : 'text';
    await db.raw('DROP INDEX jobs_one');
    if (isPostgres) await db.raw('ALTER TABLE jobs ALTER COLUMN "conversationId" DROP NOT NULL');
    else {
      // SQLite cannot drop a NOT NULL.
      await db.raw('DROP INDEX "jobs_tenantid_conversationid_id_index"');
      await db.raw('ALTER TABLE jobs RENAME COLUMN "conversationId" TO "ofConversation"');
      await db.raw('ALTER TABLE jobs ADD COLUMN "conversationId" text');
      await db.raw('UPDATE jobs SET "conversationId" = "ofConversation"');
      await db.raw('ALTER TABLE jobs DROP COLUMN "ofConversation"');
      await db.raw('CREATE INDEX jobs_conversation ON jobs ("tenantId", "conversationId", id)');
    }
    for (const column of ['"endUser"', 'project', '"afterId"']) {
      await db.raw(`ALTER TABLE jobs ADD COLUMN ${column} ${text}`);
    }
    await db.raw('ALTER TABLE jobs ADD COLUMN "changedAfter" bigint');
    await db.raw(`CREATE UNIQUE INDEX jobs_one ON jobs ("tenantId", "conversationId", "dryRun")
      WHERE "finishedAt" IS NULL AND "conversationId" IS NOT NULL`);
    await db.raw(`CREATE UNIQUE INDEX jobs_one_tidy ON jobs ("tenantId", "endUser", COALESCE(project, ''))
      WHERE "finishedAt" IS NULL AND "endUser" IS NOT NULL`);
    await db.raw(`ALTER TABLE "providerSettings" ADD COLUMN "tidySchedule" ${text} NOT NULL DEFAULT 'off'`);
    await db.raw(
      `CREATE INDEX "providerSettings_tidy" ON "providerSettings" ("tenantId") WHERE "tidySchedule" <> 'off'`,
    );
    // When a user's memories were last looked at by schedule, and when the last finished job about all of them was queued.
    await createTenantTable(
      db,
      'tidiedUsers',
      '"endUser" text NOT NULL, "lookedAt" bigint NOT NULL, "tidiedAt" bigint NOT NULL, PRIMARY KEY ("tenantId", "endUser")',
    );
  },
};
