import knex from 'knex';
import { MIGRATIONS, type Migration } from '../../migrations/index.ts';
import { AppError } from '../contract/errors.ts';
import { openConnection } from './connection.ts';

/** The schema that this program writes: the number of migrations. Kept in the file's `user_version`. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The schema version of a database file of ours. */
export async function schemaVersionOf(file: string): Promise<number> {
  const connection = await openConnection(file);
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
 * by a newer svc; nothing is changed then. Call it under the folder's lock.
 */
export async function migrate(file: string, steps: readonly Migration[] = MIGRATIONS): Promise<void> {
  const version = await schemaVersionOf(file);
  if (version > steps.length) {
    throw new AppError(
      'unprocessable',
      `${file} was written by a newer svc (schema ${version}, this one knows ${steps.length}). Install the newer svc.`,
    );
  }
  if (version === steps.length) return;
  const builder = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
  try {
    for (const [index, step] of steps.entries()) {
      if (index < version) continue;
      await builder.transaction(async (transaction) => {
        await step.up(transaction);
        await transaction.raw(`PRAGMA user_version = ${index + 1}`);
      });
    }
  } finally {
    await builder.destroy();
  }
}
