import type { Migration } from './index.ts';

/** Messages made of parts, and the erasure of single end users. */
export const partsAndUsers: Migration = {
  name: '0014-parts-and-users',
  async up(db) {
    // JSON; null for a message whose content is a string.
    await db.raw('ALTER TABLE messages ADD COLUMN parts TEXT');
    // Set while a user's rows are being erased.
    await db.raw('ALTER TABLE scopes ADD COLUMN "erasedAt" BIGINT');
    await db.raw('CREATE INDEX scopes_erased ON scopes ("erasedAt") WHERE "erasedAt" IS NOT NULL');
    // The users of a tenant, newest first.
    await db.raw('CREATE INDEX scopes_newest ON scopes ("tenantId", scope)');
    // The searches of a user, which are erased with it.
    await db.raw('CREATE INDEX searches_user ON searches ("tenantId", "endUser")');
    // An import could leave a user with a learned ranking and no scope.
    await db.raw(`INSERT INTO scopes ("tenantId", "endUser") SELECT "tenantId", "endUser" FROM learned
      WHERE NOT EXISTS (SELECT 1 FROM scopes s WHERE s."tenantId" = learned."tenantId" AND s."endUser" = learned."endUser")`);
  },
};
