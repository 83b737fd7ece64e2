import type { Knex } from 'knex';

/** Runs statements after an `event` on each row of a table for which `when` holds, on either engine. */
export async function runOnRow(
  db: Knex,
  table: string,
  event: string,
  name: string,
  when: string,
  statements: string,
): Promise<void> {
  if (db.client.config.client !== 'pg') {
    await db.raw(`CREATE TRIGGER ${name} AFTER ${event} ON ${table} WHEN ${when} BEGIN ${statements} END`);
    return;
  }
  await db.raw(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statements} RETURN NULL; END $$`,
  );
  await db.raw(`CREATE TRIGGER ${name} AFTER ${event} ON ${table}
    FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION ${name}()`);
}
