import type { Database } from '../../src/db/open.ts';

export interface RefusedWrites {
  event: 'INSERT' | 'UPDATE' | 'DELETE';
  table: string;
  /** A condition on the row before and after, `OLD` and `NEW`. */
  when?: string;
}

/** Makes the database refuse only these writes, as a full disk would; returns what ends it. */
export async function refuseWrites({ db }: { db: Database }, refused: RefusedWrites): Promise<() => Promise<void>> {
  const { event, table, when = 'TRUE' } = refused;
  await db.writes.write('daemon', async (connection) => {
    if (connection.engine === 'sqlite') {
      await connection.exec(
        `CREATE TRIGGER refusing BEFORE ${event} ON ${table} WHEN ${when} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      );
      return;
    }
    await connection.exec(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'refused'; END $$`);
    await connection.exec(
      `CREATE TRIGGER refusing BEFORE ${event} ON "${table}" FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse()`,
    );
  });
  return () =>
    db.writes.write('daemon', (connection) =>
      connection.exec(connection.engine === 'sqlite' ? 'DROP TRIGGER refusing' : `DROP TRIGGER refusing ON "${table}"`),
    );
}

/** Makes statements that name a table fail; returns what ends it. */
export async function breakTable({ db }: { db: Database }, table: string): Promise<() => Promise<void>> {
  const rename = async (from: string, to: string) => {
    await db.writes.write('daemon', (connection) => connection.run(`ALTER TABLE ${from} RENAME TO ${to}`));
  };
  await rename(table, 'brokenTable');
  return () => rename('brokenTable', table);
}
