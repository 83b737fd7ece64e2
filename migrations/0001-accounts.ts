import type { Migration } from './index.ts';

/** Tenants, API keys, sign-in, mail, invitations, usage and idempotency. Timestamps are epoch milliseconds. */
export const accounts: Migration = {
  name: '0001-accounts',
  async up(db) {
    await db.schema.createTable('tenants', (table) => {
      table.text('tenantId').primary();
      table.text('email').notNullable().unique();
      table.text('tier').notNullable();
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('erasedAt');
    });
    await db.schema.createTable('apiKeys', (table) => {
      table.text('tenantId').primary().references('tenants.tenantId');
      table.text('hash').notNullable().unique();
      table.text('last4').notNullable();
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('lastUsedAt');
    });
    await db.schema.createTable('signInLinks', (table) => {
      table.text('tokenHash').primary();
      table.text('email').notNullable();
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('expiresAt').notNullable();
      table.bigInteger('usedAt');
      table.integer('delivered').notNullable();
      table.text('cookieHash');
      table.text('codeChallenge').index();
      table.integer('redirectPort');
      table.text('device');
      table.text('codeHash');
      table.integer('wrongCodes').notNullable().defaultTo(0);
      table.index(['email', 'delivered', 'createdAt']);
      table.index(['createdAt']);
    });
    await db.schema.createTable('mailQueue', (table) => {
      table.text('mailId').primary();
      table.binary('sealed').notNullable();
      table.integer('suppressed').notNullable();
      table.integer('attempts').notNullable();
      table.bigInteger('nextAttemptAt').notNullable();
      table.bigInteger('expiresAt').notNullable();
      table.index(['nextAttemptAt']);
    });
    await db.schema.createTable('invitations', (table) => {
      table.text('email').primary();
      table.bigInteger('createdAt').notNullable();
    });
    await db.schema.createTable('usageDays', (table) => {
      table.text('tenantId').notNullable();
      table.text('day').notNullable();
      table.integer('requests').notNullable();
      table.integer('memories').notNullable();
      table.integer('queries').notNullable();
      table.primary(['tenantId', 'day']);
    });
    await db.schema.createTable('idempotencyKeys', (table) => {
      table.text('tenantId').notNullable();
      table.text('idempotencyKey').notNullable();
      table.text('requestHash').notNullable();
      table.integer('status').notNullable();
      table.text('answer');
      table.bigInteger('createdAt').notNullable();
      table.primary(['tenantId', 'idempotencyKey']);
      table.index(['createdAt']);
    });
    await db.schema.createTable('idempotencyResources', (table) => {
      table.text('tenantId').notNullable();
      table.text('resourceId').notNullable();
      table.text('idempotencyKey').notNullable();
      table.primary(['tenantId', 'resourceId', 'idempotencyKey']);
      table.index(['tenantId', 'idempotencyKey']);
    });
    await db.schema.createTable('pulse', (table) => {
      table.integer('only').primary();
      table.bigInteger('at').notNullable();
    });
  },
};
