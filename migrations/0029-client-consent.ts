import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** Mailed links that allow an OAuth client, and who vouches for the name of a connected one. Runs on both engines. */
export const clientConsent: Migration = {
  name: '0029-client-consent',
  async up(db) {
    const text = db.client.config.client === 'pg' ? TEXT : 'TEXT';
    await db.raw(`ALTER TABLE "signInLinks" ADD COLUMN "clientRequest" ${text}`);
    // Null in connections that were made before: their names count as unverified.
    await db.raw(`ALTER TABLE connections ADD COLUMN "verifiedHost" ${text}`);
  },
};
