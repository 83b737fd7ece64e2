import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { openPlainConnection, type Reader } from '../db/connection.ts';
import { ensureDatabaseFile } from '../db/database-file.ts';
import { refuseUnlessServing } from '../db/database-state.ts';
import { migrate } from '../db/migrate.ts';
import type { Config } from './config-settings.ts';

/**
 * The database of a configuration: a file of SQLite, or a server of PostgreSQL. `isVerified`: the file was checked for
 * corruption just now.
 */
export type DatabaseLocation = { file: string; isVerified?: true } | { url: string };

/**
 * Creates the database file if there is none, and migrates the database. Throws like `migrate` and `migratePostgres`, and
 * `conflict` if it is one end of a move and does not serve.
 */
export async function prepareDatabase(config: Config): Promise<DatabaseLocation> {
  const location = await migratedDatabase(config);
  await withReader(location, refuseUnlessServing);
  return location;
}

/** Creates the database file if there is none, and migrates the database. Throws like `migrate` and `migratePostgres`. */
export async function migratedDatabase({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): Promise<DatabaseLocation> {
  if (databaseUrl === undefined) {
    const file = await ensureDatabaseFile(dataDir);
    await migrate(file);
    return { file, isVerified: true };
  }
  const { migratePostgres } = await import('../db/postgres/migrate.ts');
  await migratePostgres(databaseUrl);
  return { url: databaseUrl };
}

/** Opens a connection for `work` to read the database, which has the current schema. */
export async function withReader<T>(location: DatabaseLocation, work: (reader: Reader) => Promise<T>): Promise<T> {
  if ('file' in location) {
    const connection = await openPlainConnection(location.file, { readOnly: true });
    return work(connection).finally(() => connection.close());
  }
  const { createSession, inReadTransaction } = await import('../db/postgres/connection.ts');
  const session = createSession(location.url);
  return inReadTransaction(session, 'all', work).finally(() => session.close());
}

/** Throws `not_found` if there is no database file. */
export async function existingDatabase(config: Config): Promise<DatabaseLocation> {
  const { databaseUrl } = config;
  return databaseUrl === undefined ? { file: await existingFile(config) } : { url: databaseUrl };
}

/** Throws `unprocessable` if the database is a server's, whose own tools make and restore backups. */
export function requireFile({ databaseUrl }: Config): void {
  if (databaseUrl === undefined) return;
  const advice = 'Use pg_dump and pg_restore, or the backups of its provider (docs/scale.md).';
  throw new AppError('unprocessable', `The database is PostgreSQL's (SVC_DATABASE_URL), not a file. ${advice}`);
}

/** Returns the path of the data folder's database. Throws `not_found` if there is none. */
export async function existingFile({ dataDir }: Config): Promise<string> {
  await access(join(dataDir, 'svc.db')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') return;
    throw new AppError(
      'not_found',
      `There is no svc database in ${dataDir}. Start svc serve once, or set SVC_DATA_DIR.`,
    );
  });
  return ensureDatabaseFile(dataDir);
}
