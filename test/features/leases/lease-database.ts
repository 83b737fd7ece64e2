import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDatabaseFile } from '../../../src/db/database-file.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { type Database, openDatabase } from '../../../src/db/open.ts';

/** A migrated database, for parts of several daemons that share it. */
export interface LeaseDatabase {
  db: Database;
  end(): Promise<void>;
}

export async function openLeaseDatabase(): Promise<LeaseDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-leases-'));
  const file = await ensureDatabaseFile(folder);
  await migrate(file);
  const db = await openDatabase(file, { readerCount: 1, monotonicMs: () => performance.now() });
  return {
    db,
    async end() {
      await db.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A promise that is resolved from outside. */
export function createGate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A log of which only the messages matter. */
export function createTestLog() {
  const messages: string[] = [];
  const add = (_fields: object, message: string) => void messages.push(message);
  return { messages, info: add, warn: add, error: add };
}
