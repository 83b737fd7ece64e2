import { MIGRATIONS, type Migration } from '../../migrations/index.ts';
import { AppError } from '../contract/errors.ts';
import { openConnection } from './connection.ts';
import { refuseCorrupt } from './integrity.ts';
import { storageError } from './storage-error.ts';

/** The schema version of this program: the number of migrations. Stored in the file's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Reads the schema version of one of our database files. */
export async function schemaVersionOf(file: string): Promise<number> {
  const connection = await openConnection(file, { readOnly: true });
  try {
    const row = await connection.get<{ user_version: number }>('PRAGMA user_version');
    return row?.user_version ?? 0;
  } finally {
    await connection.close();
  }
}

/** The error for a database of another schema version; `name` is the subject of its message. */
export function otherSchema(name: string, version: number): AppError {
  const advice =
    version < SCHEMA_VERSION ? 'Start the daemon once (svc serve) to migrate it.' : 'Install the newer svc.';
  return new AppError('unprocessable', `${name} has schema ${version}; this svc needs ${SCHEMA_VERSION}. ${advice}`);
}

/**
 * Migrates the file to `SCHEMA_VERSION`. Each step and its `user_version` share a transaction, so that after a kill at
 * any point the next start continues from there. Throws `unprocessable`, without changing the file, if it is corrupt or
 * was written by a newer svc. The caller holds the folder's lock.
 */
export async function migrate(file: string, steps: readonly Migration[] = MIGRATIONS): Promise<void> {
  await refuseCorrupt(file);
  const version = await schemaVersionOf(file);
  if (version > steps.length) {
    throw new AppError(
      'unprocessable',
      `${file} was written by a newer svc (schema ${version}; this one supports ${steps.length}). Install the newer svc.`,
    );
  }
  if (version < steps.length) await runSteps(file, steps, version);
}

async function runSteps(file: string, steps: readonly Migration[], version: number): Promise<void> {
  // Loaded lazily: most starts run no migration.
  const { default: knex } = await import('knex');
  const builder = knex({
    client: 'sqlite3',
    connection: { filename: file },
    useNullAsDefault: true,
    // Deleted content is overwritten, as in normal operation; admin commands may hold the lock for a while.
    pool: { afterCreate: (raw: RawDatabase, done: () => void) => raw.exec(PRAGMAS, done) },
  });
  try {
    for (const [index, step] of steps.entries()) {
      if (index < version) continue;
      await builder.transaction(async (transaction) => {
        await step.up(transaction);
        await transaction.raw(`PRAGMA user_version = ${index + 1}`);
      });
    }
  } catch (error) {
    throw storageError(error);
  } finally {
    await builder.destroy();
  }
}

interface RawDatabase {
  exec(sql: string, done: () => void): void;
}

const PRAGMAS = 'PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON';
