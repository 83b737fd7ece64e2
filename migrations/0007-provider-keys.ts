import type { Migration } from './index.ts';

/** Data keys, which the master key wraps, and the provider keys that they seal. */
export const providerKeys: Migration = {
  name: '0007-provider-keys',
  async up(db) {
    await db.schema.createTable('dataKeys', (table) => {
      // Empty: the daemon's own.
      table.text('tenantId').primary();
      // Names the master key that wraps it, and tells nothing of it.
      table.text('masterKeyId').notNullable();
      table.binary('wrapped').notNullable();
    });
    await db.schema.createTable('providerKeys', (table) => {
      table.text('tenantId').notNullable();
      table.text('provider').notNullable();
      table.text('id').notNullable();
      table.integer('version').notNullable();
      // Empty where the provider asks for none.
      table.binary('sealed');
      table.text('last4');
      table.text('baseUrl');
      // JSON lists: the models that the key was given for, and those that the provider named.
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
