import type { Migration } from './index.ts';
import { createTenantTable } from './tenant-table.ts';

/**
 * Clients that registered with the authorization server, and the hashes of codes and tokens that it issued. The grant
 * that a token belongs to is its row of `connections`: without it, the token is not valid. Runs on both engines.
 */
export const oauth: Migration = {
  name: '0026-oauth',
  async up(db) {
    const text = db.client.config.client === 'pg' ? 'TEXT COLLATE "C"' : 'TEXT';
    await db.raw(
      `CREATE TABLE "oauthClients" (
         id ${text} PRIMARY KEY,
         name ${text} NOT NULL,
         "redirectUris" ${text} NOT NULL,
         "createdAt" BIGINT NOT NULL,
         "lastUsedAt" BIGINT NOT NULL
       )`,
    );
    await db.raw('CREATE INDEX oauth_clients_used ON "oauthClients" ("lastUsedAt")');
    await createTenantTable(
      db,
      'oauthTokens',
      `"tokenHash" text NOT NULL UNIQUE,
       kind text NOT NULL,
       "connectionId" text NOT NULL,
       "clientId" text NOT NULL,
       scope text NOT NULL,
       "redirectUri" text,
       "codeChallenge" text,
       "expiresAt" bigint NOT NULL,
       "usedAt" bigint,
       PRIMARY KEY ("tenantId", "tokenHash")`,
    );
    await db.raw('CREATE INDEX oauth_tokens_connection ON "oauthTokens" ("tenantId", "connectionId")');
    await db.raw('CREATE INDEX oauth_tokens_expires ON "oauthTokens" ("expiresAt")');
  },
};
