import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** Connections of terminals, with what each connection may do, and the requests that make them. Runs on both engines. */
export const deviceConnections: Migration = {
  name: '0025-device-connections',
  async up(db) {
    const text = db.client.config.client === 'pg' ? TEXT : 'TEXT';
    for (const table of ['connections', 'sessionTickets']) {
      await db.raw(`ALTER TABLE "${table}" ADD COLUMN scope ${text} NOT NULL DEFAULT 'account'`);
      await db.raw(`ALTER TABLE "${table}" ADD COLUMN "openedBy" ${text}`);
    }
    await db.raw(`ALTER TABLE connections ADD COLUMN address ${text}`);
    await db.raw(`ALTER TABLE "signInLinks" ADD COLUMN "deviceCodeHash" ${text}`);
    await db.raw(`CREATE TABLE "deviceRequests" (
      "deviceCodeHash" ${text} PRIMARY KEY, "userCodeHash" ${text} NOT NULL, email ${text} NOT NULL,
      name ${text} NOT NULL, system ${text} NOT NULL, address ${text} NOT NULL, "createdAt" BIGINT NOT NULL,
      "expiresAt" BIGINT NOT NULL, "intervalMs" BIGINT NOT NULL, "polledAt" BIGINT, decision ${text})`);
    await db.raw('CREATE INDEX device_requests_email ON "deviceRequests" (email)');
    await db.raw('CREATE INDEX device_requests_expires ON "deviceRequests" ("expiresAt")');
  },
};
