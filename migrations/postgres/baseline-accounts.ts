import type { Knex } from 'knex';
import { createTenantTable, showRowsOfNoTenant, TEXT } from './tables.ts';

/** Tenants, API keys, sign-in, mail, invitations, usage and idempotency. */
export async function createAccountTables(db: Knex): Promise<void> {
  await createTenantTable(
    db,
    'tenants',
    `email ${TEXT} NOT NULL UNIQUE,
     tier ${TEXT} NOT NULL,
     "createdAt" bigint NOT NULL,
     "erasedAt" bigint,
     -- Maintained by triggers.
     "storedBytes" bigint NOT NULL DEFAULT 0,
     PRIMARY KEY ("tenantId")`,
  );
  await createTenantTable(
    db,
    'apiKeys',
    `hash ${TEXT} NOT NULL UNIQUE,
     last4 ${TEXT} NOT NULL,
     "createdAt" bigint NOT NULL,
     "lastUsedAt" bigint,
     PRIMARY KEY ("tenantId"),
     FOREIGN KEY ("tenantId") REFERENCES tenants`,
  );
  await createTenantTable(
    db,
    'dataKeys',
    // The tenant is empty for the daemon's own data key.
    `"masterKeyId" ${TEXT} NOT NULL,
     wrapped bytea NOT NULL,
     PRIMARY KEY ("tenantId")`,
  );
  // It names the master key that wraps the others.
  await showRowsOfNoTenant(db, 'dataKeys');
  await createSignInTables(db);
  await createUsageTables(db);
}

async function createSignInTables(db: Knex): Promise<void> {
  await db.raw(`CREATE TABLE "signInLinks" (
    "tokenHash" ${TEXT} PRIMARY KEY,
    email ${TEXT} NOT NULL,
    "createdAt" bigint NOT NULL,
    "expiresAt" bigint NOT NULL,
    "usedAt" bigint,
    delivered bigint NOT NULL,
    "cookieHash" ${TEXT},
    "codeChallenge" ${TEXT},
    "redirectPort" bigint,
    device ${TEXT},
    "codeHash" ${TEXT},
    "wrongCodes" bigint NOT NULL DEFAULT 0)`);
  await db.raw('CREATE INDEX sign_in_links_challenge ON "signInLinks" ("codeChallenge")');
  await db.raw('CREATE INDEX sign_in_links_created ON "signInLinks" ("createdAt")');
  await db.raw('CREATE INDEX sign_in_links_email ON "signInLinks" (email, delivered, "createdAt")');
  await db.raw(`CREATE TABLE "mailQueue" (
    "mailId" ${TEXT} PRIMARY KEY,
    sealed bytea NOT NULL,
    suppressed bigint NOT NULL,
    attempts bigint NOT NULL,
    "nextAttemptAt" bigint NOT NULL,
    "expiresAt" bigint NOT NULL)`);
  await db.raw('CREATE INDEX mail_queue_due ON "mailQueue" ("nextAttemptAt")');
  await db.raw(`CREATE TABLE invitations (email ${TEXT} PRIMARY KEY, "createdAt" bigint NOT NULL)`);
  await db.raw('CREATE TABLE pulse ("only" bigint PRIMARY KEY, at bigint NOT NULL)');
}

async function createUsageTables(db: Knex): Promise<void> {
  await createTenantTable(
    db,
    'usageDays',
    `day ${TEXT} NOT NULL,
     requests bigint NOT NULL,
     memories bigint NOT NULL,
     queries bigint NOT NULL,
     PRIMARY KEY ("tenantId", day)`,
  );
  await createTenantTable(
    db,
    'idempotencyKeys',
    `"idempotencyKey" ${TEXT} NOT NULL,
     "requestHash" ${TEXT} NOT NULL,
     status bigint NOT NULL,
     answer ${TEXT},
     "createdAt" bigint NOT NULL,
     PRIMARY KEY ("tenantId", "idempotencyKey")`,
  );
  await db.raw('CREATE INDEX idempotency_keys_created ON "idempotencyKeys" ("createdAt")');
  await createTenantTable(
    db,
    'idempotencyResources',
    `"resourceId" ${TEXT} NOT NULL,
     "idempotencyKey" ${TEXT} NOT NULL,
     PRIMARY KEY ("tenantId", "resourceId", "idempotencyKey")`,
  );
  await db.raw('CREATE INDEX idempotency_resources_key ON "idempotencyResources" ("tenantId", "idempotencyKey")');
}
