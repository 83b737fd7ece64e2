import type { Database } from '../../db/open.ts';

/** Counts the daemons that serve the same database, by their heartbeats on its clock. */
export interface LiveDaemons {
  /** Writes this daemon's heartbeat and counts again; call it every `HEARTBEAT_MS`. */
  beat(): Promise<void>;
  /** At the last heartbeat, including this one. */
  count(): number;
  /** Removes this daemon, so that the others do not wait for its heartbeat to run out. */
  leave(): Promise<void>;
}

export const HEARTBEAT_MS = 2000;
const LIVE_MS = 10_000;

const NOW = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS bigint)';

/** `id` is unique to this process. A daemon that has not been heard of for ten seconds no longer counts. */
export function createLiveDaemons(db: Database, id: string): LiveDaemons {
  let live = 1;
  return {
    beat: () =>
      db.writes.write('daemon', async (connection) => {
        await connection.run(
          `INSERT INTO daemons (id, at) VALUES (?, ${NOW}) ON CONFLICT (id) DO UPDATE SET at = excluded.at`,
          [id],
        );
        await connection.run(`DELETE FROM daemons WHERE at < ${NOW} - ?`, [LIVE_MS]);
        const row = await connection.get<{ count: number }>('SELECT COUNT(*) AS count FROM daemons');
        live = row?.count ?? 1;
      }),
    count: () => live,
    leave: () =>
      db.writes.write('daemon', async (connection) => {
        await connection.run('DELETE FROM daemons WHERE id = ?', [id]);
      }),
  };
}
