import type { Migration } from './index.ts';
import { createTenantTable } from './tenant-table.ts';

/** Webhooks, and their deliveries, which hold ids but no content and no name. Runs on both engines. */
export const webhooks: Migration = {
  name: '0042-webhooks',
  async up(db) {
    const bytes = db.client.config.client === 'pg' ? 'bytea' : 'blob';
    // `readNumber` and `readAt` are the position in the log of changes, `lastNumber` the number of the last delivery.
    await createTenantTable(
      db,
      'webhooks',
      `id text NOT NULL, url text NOT NULL, events text, "endUser" text, active bigint NOT NULL, secret ${bytes} NOT NULL,
      "formerSecret" ${bytes}, "formerUntil" bigint, "readNumber" bigint NOT NULL, "readAt" bigint NOT NULL,
      "lastNumber" bigint NOT NULL, "dueAt" bigint, "claimedUntil" bigint NOT NULL, fence bigint NOT NULL,
      "lastDeliveredAt" bigint, "lastFailedAt" bigint, "lastError" text, "createdAt" bigint NOT NULL,
      PRIMARY KEY ("tenantId", id)`,
    );
    await db.raw(
      'CREATE INDEX webhooks_due ON webhooks ("dueAt", "tenantId", id) WHERE active = 1 AND "dueAt" IS NOT NULL',
    );
    await createTenantTable(
      db,
      'webhookDeliveries',
      `id text NOT NULL, "webhookId" text NOT NULL, number bigint NOT NULL, kind text NOT NULL, "itemId" text, scope bigint,
      at bigint NOT NULL, state text NOT NULL, attempts bigint NOT NULL, status bigint, error text,
      "createdAt" bigint NOT NULL, "triedAt" bigint, PRIMARY KEY ("tenantId", id)`,
    );
    await db.raw(
      'CREATE INDEX "webhookDeliveries_state" ON "webhookDeliveries" ("tenantId", "webhookId", state, number)',
    );
  },
};
