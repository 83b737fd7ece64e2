import { type PostgresServer, startPostgres } from '../test/helpers/postgres/server.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

/** The settings of daemons on an empty database, by their `SVC_` names. */
export type CreateDatabase = () => Promise<Record<string, string>>;

/** The master key of daemons on PostgreSQL, as a setting. */
export const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

/**
 * Runs `work` with a way to create databases. On SQLite they need no settings, because each data folder has its own; on
 * PostgreSQL they are in a server that is started for the duration of `work` and flushes every commit to disk.
 */
export async function withDatabases<T>(engine: Engine, work: (create: CreateDatabase) => Promise<T>): Promise<T> {
  if (engine === 'sqlite') return work(async () => ({}));
  return withPostgres((server) => work(async () => settingsOf(await server.createDatabase())));
}

/** Runs `work` with a fresh PostgreSQL that flushes every commit to disk. */
export async function withPostgres<T>(work: (server: PostgresServer) => Promise<T>): Promise<T> {
  const server = await startPostgres({ isDurable: true });
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

/** The settings of daemons that share a PostgreSQL database. */
export function settingsOf(databaseUrl: string): Record<string, string> {
  return { SVC_DATABASE_URL: databaseUrl, SVC_MASTER_KEY: MASTER_KEY };
}

/** Throws an `Error` that names the engines unless `name` is one. */
export function engineOf(name: string): Engine {
  const engine = ENGINES.find((one) => one === name);
  if (engine === undefined) throw new Error(`--engine must be ${ENGINES.join(' or ')}, got ${name}`);
  return engine;
}
