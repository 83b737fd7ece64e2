import type { Migration } from './index.ts';
import { createTenantTable } from './tenant-table.ts';

/** Page sessions, the tickets that open them, and why API keys ended. Runs on both engines. */
export const connections: Migration = {
  name: '0018-connections',
  async up(db) {
    await createTenantTable(
      db,
      'connections',
      `id text NOT NULL,
       kind text NOT NULL,
       "tokenHash" text NOT NULL UNIQUE,
       client text NOT NULL,
       "createdAt" bigint NOT NULL,
       "lastUsedAt" bigint NOT NULL,
       "expiresAt" bigint NOT NULL,
       "endsAt" bigint NOT NULL,
       PRIMARY KEY ("tenantId", id)`,
    );
    await db.raw('CREATE INDEX connections_ends ON connections ("endsAt")');
    await createTenantTable(
      db,
      'sessionTickets',
      `"tokenHash" text NOT NULL UNIQUE,
       "expiresAt" bigint NOT NULL,
       "sessionExpiresAt" bigint NOT NULL,
       PRIMARY KEY ("tenantId", "tokenHash")`,
    );
    await db.raw('CREATE INDEX session_tickets_expires ON "sessionTickets" ("expiresAt")');
    await createTenantTable(
      db,
      'endedKeys',
      `hash text NOT NULL UNIQUE,
       "endedAt" bigint NOT NULL,
       "endedBy" text NOT NULL,
       device text,
       PRIMARY KEY ("tenantId", hash)`,
    );
    await db.raw('CREATE INDEX ended_keys_ended ON "endedKeys" ("endedAt")');
  },
};
