import type { Knex } from 'knex';
import { TEXT } from './tables.ts';

/** What several daemons share beside data of tenants. */
export async function createLimitTables(db: Knex): Promise<void> {
  // Not logged: after a crash of the server every bucket is full. Half-empty pages let a changed row stay on its page.
  await db.raw(`CREATE UNLOGGED TABLE buckets (
    key ${TEXT} PRIMARY KEY,
    -- Tokens that were used up at that time, in milliseconds since the epoch.
    used double precision NOT NULL,
    at double precision NOT NULL,
    capacity double precision NOT NULL,
    "refillPerSecond" double precision NOT NULL,
    -- Tokens that the last statement got.
    granted double precision NOT NULL
  ) WITH (fillfactor = 50)`);
  // Heartbeats of the daemons that serve this database.
  await db.raw(`CREATE TABLE daemons (id ${TEXT} PRIMARY KEY, at bigint NOT NULL)`);
}
