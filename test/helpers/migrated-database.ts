import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabaseFile } from '../../src/db/database-file.ts';
import { migrate } from '../../src/db/migrate.ts';

let migrated: Promise<Buffer> | undefined;

/** Creates an empty SQLite database of the current schema in a data folder; the migrations run once per process. */
export async function createMigratedDatabase(folder: string): Promise<void> {
  migrated ??= readMigrated();
  await writeFile(join(folder, 'svc.db'), await migrated, { mode: 0o600 });
}

async function readMigrated(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-migrated-'));
  try {
    const file = await ensureDatabaseFile(folder);
    await migrate(file);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
