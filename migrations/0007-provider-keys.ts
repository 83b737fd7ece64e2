import type { Migration } from './index.ts';

/** Data keys, wrapped by the master key, and the provider keys they seal. */
export const providerKeys: Migration = {
  name: '0007-provider-keys',
  async up(db) {
    await db.schema.createTable('dataKeys', (table) => {
      // Empty for the daemon's own data key.
      table.text('tenantId').primary();
      // Identifies the wrapping master key without revealing it.
      table.text('masterKeyId').notNullable();
      table.binary('wrapped').notNullable();
    });
    await db.schema.createTable('providerKeys', (table) => {
      table.text('tenantId').notNullable();
      table.text('provider').notNullable();
      table.text('id').notNullable();
      table.integer('version').notNullable();
      // Null if the provider needs no key.
      table.binary('sealed');
      table.text('last4');
      table.text('baseUrl');
      // JSON lists: models the key was restricted to, and models the provider reported.
      table.text('givenModels');
      table.text('namedModels').notNullable();
      table.text('status').notNullable();
      table.bigInteger('validatedAt');
      table.text('checkOutcome').notNullable();
      table.text('checkMessage').notNullable();
      table.bigInteger('checkedAt').notNullable();
      table.bigInteger('createdAt').notNullable();
      table.bigInteger('updatedAt').notNullable();
      table.primary(['tenantId', 'provider']);
    });
  },
};
