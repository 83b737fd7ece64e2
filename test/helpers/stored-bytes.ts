import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { TestDaemon } from './daemon.ts';
import { onPostgres } from './postgres/folder-databases.ts';
import { tableNames } from './tables.ts';

/** Where a daemon stores what: names of files of its data folder, and of tables where the database is elsewhere. */
export const DATABASE_PLACES = onPostgres ? ['tenants', 'apiKeys', 'memories'] : ['svc.db', 'svc.db-wal', 'master.key'];

/** All files of the database, first its log: what a checkpoint moves meanwhile is in one of them, or in both. */
export async function databaseBytes(folder: string): Promise<Buffer> {
  const names = (await readdir(folder)).filter((name) => name.startsWith('svc.db')).toSorted();
  const read: Buffer[] = [];
  for (const name of names.toReversed()) read.push(await readFile(join(folder, name)).catch(() => Buffer.alloc(0)));
  return Buffer.concat(read);
}

/** Everything that a daemon stores, except the mails that tests receive in its folder. */
export async function storedBytes({ folder, db }: TestDaemon): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const places = new Map<string, Buffer>();
  // The log of the database before the database itself, as above.
  for (const file of files.toSorted().toReversed()) {
    const name = relative(folder, file);
    if (!name.startsWith('mail/')) places.set(name, await readFile(file));
  }
  if (!onPostgres) return places;
  for (const table of await tableNames(db.readers)) {
    const rows = await db.readers.all(`SELECT * FROM "${table}"`);
    const values = rows.flatMap((row) => Object.values(row));
    places.set(
      table,
      Buffer.concat(values.map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(`${value}\n`)))),
    );
  }
  return places;
}
