import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';
import { createTenantTable } from './tenant-table.ts';

/** Spaces, each a separate tenant, their members and log, and who wrote what in them. Runs on both engines. */
export const spaces: Migration = {
  name: '0043-spaces',
  async up(db) {
    await createTenantTable(db, 'spaces', 'name text NOT NULL, "createdAt" bigint NOT NULL, PRIMARY KEY ("tenantId")');
    // `memberId` is the tenant of the member's own account; null until the invitation is accepted.
    await createTenantTable(
      db,
      'spaceMembers',
      `id text NOT NULL, email text NOT NULL, "memberId" text, role text NOT NULL, "invitedBy" text,
      "createdAt" bigint NOT NULL, "joinedAt" bigint, "expiresAt" bigint, PRIMARY KEY ("tenantId", id)`,
    );
    await db.raw('CREATE UNIQUE INDEX "spaceMembers_email" ON "spaceMembers" ("tenantId", email)');
    await db.raw('CREATE INDEX "spaceMembers_member" ON "spaceMembers" ("memberId") WHERE "memberId" IS NOT NULL');
    await db.raw('CREATE INDEX "spaceMembers_invited" ON "spaceMembers" (email) WHERE "memberId" IS NULL');
    await createTenantTable(
      db,
      'spaceLog',
      `id text NOT NULL, at bigint NOT NULL, actor text NOT NULL, action text NOT NULL, subject text, detail text,
      PRIMARY KEY ("tenantId", id)`,
    );
    await db.raw('CREATE INDEX "spaceLog_at" ON "spaceLog" (at)');
    await db.raw('CREATE INDEX "spaceLog_actor" ON "spaceLog" (actor)');
    const text = db.client.config.client === 'pg' ? TEXT : 'TEXT';
    // The only space in which a connection acts; null for all that its account may do.
    await db.raw(`ALTER TABLE connections ADD COLUMN space ${text}`);
    // The address of the member; null outside of spaces.
    for (const table of ['memories', 'messages', 'jobs', 'activity']) {
      await db.raw(`ALTER TABLE ${table} ADD COLUMN author ${text}`);
    }
    await db.raw('CREATE INDEX memories_author ON memories (author, "tenantId") WHERE author IS NOT NULL');
    await db.raw('CREATE INDEX messages_author ON messages (author, "tenantId") WHERE author IS NOT NULL');
  },
};
