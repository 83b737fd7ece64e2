import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { createMigratedDatabase } from '../helpers/migrated-database.ts';

/** Creates a data folder with a migrated database file. */
export async function createDatabaseFolder() {
  const path = await mkdtemp(join(tmpdir(), 'svc-db-'));
  const file = join(path, 'svc.db');
  await createMigratedDatabase(path);
  const opened: Database[] = [];
  return {
    path,
    file,
    async open(options: { readerCount?: number; busyTimeoutMs?: number } = {}): Promise<Database> {
      const db = await openDatabase(file, { readerCount: 2, monotonicMs: () => performance.now(), ...options });
      opened.push(db);
      return db;
    },
    async clean() {
      for (const db of opened) await db.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

export type DatabaseFolder = Awaited<ReturnType<typeof createDatabaseFolder>>;
