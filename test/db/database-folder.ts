import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabaseFile } from '../../src/db/database-file.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';

/** Creates a data folder with a migrated database file. */
export async function createDatabaseFolder() {
  const path = await mkdtemp(join(tmpdir(), 'svc-db-'));
  const file = await ensureDatabaseFile(path);
  await migrate(file);
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
