import { MIGRATIONS, type Migration } from '../../migrations/index.ts';
import { AppError } from '../contract/errors.ts';
import { openConnection } from './connection.ts';
import { refuseCorrupt } from './integrity.ts';
import { storageError } from './storage-error.ts';

/** The schema that this program writes: the number of migrations. Kept in the file's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema version of a database file of ours. Only reads. */
export async function schemaVersionOf(file: string): Promise<number> {
  const connection = await openConnection(file, { readOnly: true });
  try {
    const row = await connection.get<{ user_version: number }>('PRAGMA user_version');
    return row?.user_version ?? 0;
  } finally {
    await connection.close();
  }
}

/**
 * Brings the file up to `SCHEMA_VERSION`, each step in one transaction with its `user_version`, so that a kill at any
 * point leaves a whole schema and the next start goes on from there. Throws `unprocessable` where the file was written
 * by a newer svc or is corrupt; nothing is changed then. Call it under the folder's lock.
 */
export async function migrate(file: string, steps: readonly Migration[] = MIGRATIONS): Promise<void> {
  await refuseCorrupt(file);
  const version = await schemaVersionOf(file);
  if (version > steps.length) {
    throw new AppError(
      'unprocessable',
      `${file} was written by a newer svc (schema ${version}, this one knows ${steps.length}). Install the newer svc.`,
    );
  }
  if (version < steps.length) await runSteps(file, steps, version);
}

async function runSteps(file: string, steps: readonly Migration[], version: number): Promise<void> {
  // Loaded for a migration only: most starts have none.
  const { default: knex } = await import('knex');
  const builder = knex({
    client: 'sqlite3',
    connection: { filename: file },
    useNullAsDefault: true,
    // What a step removes is overwritten, as in daily work; a command of the operator's is waited for.
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
