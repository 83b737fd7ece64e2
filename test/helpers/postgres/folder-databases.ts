import { createHash } from 'node:crypto';
import { inject } from 'vitest';
import { dropDatabase, ensureDatabase } from './databases.ts';

/** Whether daemons of this run use PostgreSQL. */
export const onPostgres = process.env.TEST_ENGINE === 'postgres';

/** The master key of daemons on PostgreSQL, which never make one themselves. */
export const MASTER_KEY = Buffer.alloc(32, 11);

/**
 * Returns the URL of the database that takes the place of the SQLite file in a data folder, created when it is first
 * asked for; `undefined` on SQLite.
 */
export async function databaseOf(folder: string): Promise<string | undefined> {
  if (!onPostgres) return undefined;
  const { adminUrl, template } = inject('postgres');
  return ensureDatabase(adminUrl, nameOf(folder), template);
}

/** Copies the database of a folder, which nobody uses, for a copy of the folder. */
export async function copyDatabaseOf(folder: string, copy: string): Promise<void> {
  if (onPostgres) await ensureDatabase(inject('postgres').adminUrl, nameOf(copy), nameOf(folder));
}

/** Drops that database. */
export async function dropDatabaseOf(folder: string): Promise<void> {
  if (onPostgres) await dropDatabase(inject('postgres').adminUrl, nameOf(folder));
}

function nameOf(folder: string): string {
  return `folder_${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`;
}
