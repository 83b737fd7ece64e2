import type { Knex } from 'knex';

/** Keeps the total of `bytes` per tenant in the transaction of every write, at one update per statement and tenant. */
export async function countStoredBytes(db: Knex): Promise<void> {
  await createCounter(db, 'count_added_bytes', 'SELECT "tenantId", bytes FROM added');
  await createCounter(db, 'count_removed_bytes', 'SELECT "tenantId", - bytes AS bytes FROM removed');
  await createCounter(
    db,
    'count_changed_bytes',
    'SELECT "tenantId", bytes FROM added UNION ALL SELECT "tenantId", - bytes FROM removed',
  );
  for (const table of ['memories', 'conversations', 'messages', 'episodes']) {
    await db.raw(`CREATE TRIGGER bytes_added AFTER INSERT ON ${table} REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION count_added_bytes()`);
    await db.raw(`CREATE TRIGGER bytes_removed AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION count_removed_bytes()`);
    await db.raw(`CREATE TRIGGER bytes_changed AFTER UPDATE ON ${table}
      REFERENCING OLD TABLE AS removed NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION count_changed_bytes()`);
  }
}

/** `changes` selects tenants and the bytes to add to their totals. */
async function createCounter(db: Knex, name: string, changes: string): Promise<void> {
  await db.raw(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE tenants SET "storedBytes" = "storedBytes" + total.bytes
      FROM (SELECT "tenantId", SUM(bytes) AS bytes FROM (${changes}) changes GROUP BY "tenantId") total
      WHERE total."tenantId" = tenants."tenantId" AND total.bytes <> 0;
      RETURN NULL;
    END $$`);
}
