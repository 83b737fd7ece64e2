import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type OpenOptions, openDatabase } from '../../../src/db/open.ts';
import { openPostgres } from '../../../src/db/postgres/open.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';
import { databaseOf, dropDatabaseOf } from '../../helpers/postgres/folder-databases.ts';

/** A migrated database that several daemons share. On PostgreSQL there are two daemons, with sessions of their own. */
export interface LeaseDatabase {
  db: Database;
  /** The database as each further daemon sees it. */
  next(): Database;
  end(): Promise<void>;
}

export async function openLeaseDatabase(): Promise<LeaseDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-leases-'));
  const databaseUrl = await databaseOf(folder);
  const options = { readerCount: 1, monotonicMs: () => performance.now() };
  const ofPostgres = { ...options, log: createTestLog(), machineNowMs: Date.now };
  const all =
    databaseUrl === undefined
      ? [await openFile(folder, options)]
      : [await openPostgres(databaseUrl, ofPostgres), await openPostgres(databaseUrl, ofPostgres)];
  let turn = 0;
  return {
    db: all[0]!,
    next() {
      turn += 1;
      return all[turn % all.length]!;
    },
    async end() {
      for (const db of all) await db.close();
      await dropDatabaseOf(folder);
      await rm(folder, { recursive: true });
    },
  };
}

async function openFile(folder: string, options: OpenOptions): Promise<Database> {
  await createMigratedDatabase(folder);
  return openDatabase(join(folder, 'svc.db'), options);
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
