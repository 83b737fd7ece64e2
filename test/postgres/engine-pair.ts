import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Connection, Reader, Value } from '../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../src/db/database-file.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type Database, openDatabase } from '../../src/db/open.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { vectorExtension } from '../../src/db/vector-extension.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';

export type EnginePair = Awaited<ReturnType<typeof openEnginePair>>;

/** Opens an empty database of each engine, which tests then treat alike. */
export async function openEnginePair(name: string) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-pair-'));
  const file = await ensureDatabaseFile(folder);
  await migrate(file);
  const { adminUrl, template } = inject('postgres');
  const options = { readerCount: 2, monotonicMs: () => performance.now() };
  const sqlite = await openDatabase(file, { ...options, extension: await vectorExtension() });
  const postgres = await openPostgres(await ensureDatabase(adminUrl, name, template), {
    ...options,
    machineNowMs: () => Date.now(),
    log: { info() {}, warn() {}, error() {} },
  });
  const both: readonly Database[] = [sqlite, postgres];

  /** Runs the same work on each engine, and returns the results: SQLite's, then PostgreSQL's. */
  const each = <T>(work: (db: Database) => Promise<T>): Promise<T[]> => Promise.all(both.map(work));
  return {
    postgres,
    each,
    read: <T>(work: (reader: Reader) => Promise<T>) => each((db) => work(db.readers)),
    write: <T>(work: (connection: Connection) => Promise<T>) => each((db) => db.writes.write('daemon', work)),
    async insert(table: string, row: Record<string, Value>) {
      const names = Object.keys(row);
      const sql = `INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`;
      await each((db) => db.writes.write('daemon', (connection) => connection.run(sql, Object.values(row))));
    },
    async close() {
      await each((db) => db.close());
      await rm(folder, { recursive: true, force: true });
      await dropDatabase(adminUrl, name);
    },
  };
}
