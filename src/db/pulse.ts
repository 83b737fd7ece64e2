import type { Connection } from './connection.ts';

/** Writes a dummy row, to find out whether the database is writable. */
export async function writePulse(connection: Connection, nowMs: number): Promise<void> {
  const sql = 'INSERT INTO pulse ("only", at) VALUES (1, ?) ON CONFLICT ("only") DO UPDATE SET at = excluded.at';
  await connection.run(sql, [nowMs]);
}
