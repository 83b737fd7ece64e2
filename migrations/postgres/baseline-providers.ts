import type { Knex } from 'knex';
import { createTenantTable, TEXT } from './tables.ts';

/** Provider keys and settings of tenants, model usage by day, and extraction jobs. */
export async function createProviderTables(db: Knex): Promise<void> {
  await createTenantTable(
    db,
    'providerKeys',
    `provider ${TEXT} NOT NULL,
     id ${TEXT} NOT NULL,
     version bigint NOT NULL,
     -- Null if the provider needs no key.
     sealed bytea,
     last4 ${TEXT},
     "baseUrl" ${TEXT},
     -- JSON lists: models the key was restricted to, and models the provider reported.
     "givenModels" ${TEXT},
     "namedModels" ${TEXT} NOT NULL,
     status ${TEXT} NOT NULL,
     "validatedAt" bigint,
     "checkOutcome" ${TEXT} NOT NULL,
     "checkMessage" ${TEXT} NOT NULL,
     "checkedAt" bigint NOT NULL,
     "createdAt" bigint NOT NULL,
     "updatedAt" bigint NOT NULL,
     PRIMARY KEY ("tenantId", provider)`,
  );
  await createTenantTable(
    db,
    'providerSettings',
    `"embeddingProvider" ${TEXT},
     "embeddingModel" ${TEXT},
     "extractionProvider" ${TEXT},
     "extractionModel" ${TEXT},
     "onAppend" bigint NOT NULL,
     "dailyTokens" bigint,
     "inputPrice" double precision,
     "outputPrice" double precision,
     "dailySpend" double precision,
     "updatedAt" bigint NOT NULL,
     PRIMARY KEY ("tenantId")`,
  );
  await createTenantTable(
    db,
    'providerUsage',
    `day ${TEXT} NOT NULL,
     -- embedding, extraction
     purpose ${TEXT} NOT NULL,
     provider ${TEXT} NOT NULL,
     model ${TEXT} NOT NULL,
     requests bigint NOT NULL,
     "inputTokens" bigint NOT NULL,
     "outputTokens" bigint NOT NULL,
     spend double precision NOT NULL,
     PRIMARY KEY ("tenantId", day, purpose, provider, model)`,
  );
  await createJobTables(db);
}

async function createJobTables(db: Knex): Promise<void> {
  await createTenantTable(
    db,
    'jobs',
    `id ${TEXT} NOT NULL,
     kind ${TEXT} NOT NULL,
     state ${TEXT} NOT NULL,
     "conversationId" ${TEXT} NOT NULL,
     -- Null until the model is chosen.
     provider ${TEXT},
     model ${TEXT},
     "dryRun" bigint NOT NULL,
     -- Ordinals up to which messages have been read, and up to which they will be.
     "fromOrdinal" bigint NOT NULL,
     "toOrdinal" bigint NOT NULL,
     done bigint NOT NULL,
     total bigint NOT NULL,
     attempts bigint NOT NULL,
     "dueAt" bigint NOT NULL,
     "errorCode" ${TEXT},
     "errorMessage" ${TEXT},
     "errorAt" bigint,
     requests bigint NOT NULL,
     "inputTokens" bigint NOT NULL,
     "outputTokens" bigint NOT NULL,
     spend double precision NOT NULL,
     -- JSON.
     result ${TEXT} NOT NULL,
     "createdAt" bigint NOT NULL,
     "updatedAt" bigint NOT NULL,
     "finishedAt" bigint,
     PRIMARY KEY ("tenantId", id)`,
  );
  await db.raw('CREATE INDEX jobs_conversation ON jobs ("tenantId", "conversationId", id)');
  await db.raw('CREATE INDEX jobs_open ON jobs ("tenantId", "dueAt") WHERE "finishedAt" IS NULL');
  await db.raw('CREATE INDEX jobs_ended ON jobs ("finishedAt") WHERE "finishedAt" IS NOT NULL');
  // One job per conversation at a time, so that each sees what the previous one stored.
  await db.raw(`CREATE UNIQUE INDEX jobs_one ON jobs ("tenantId", "conversationId", "dryRun")
    WHERE "finishedAt" IS NULL`);
  // Ordinal up to which a conversation was extracted, and when its newer messages become due.
  await createTenantTable(
    db,
    'extractions',
    `"conversationId" ${TEXT} NOT NULL,
     "throughOrdinal" bigint NOT NULL,
     "dueAt" bigint,
     PRIMARY KEY ("tenantId", "conversationId")`,
  );
  await db.raw('CREATE INDEX extractions_due ON extractions ("dueAt") WHERE "dueAt" IS NOT NULL');
}
