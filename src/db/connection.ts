import sqlite3 from 'sqlite3';
import { storageError } from './storage-error.ts';

export type Value = string | number | Buffer | null;
/** Columns come back under their names; stores give them their type. */
export type Row = Record<string, Value>;

/** What reads. Both one connection and the pool of readers are one. */
export interface Reader {
  all<T = Row>(sql: string, values?: readonly Value[]): Promise<T[]>;
  get<T = Row>(sql: string, values?: readonly Value[]): Promise<T | undefined>;
}

/** One connection: statements are prepared once and run one at a time; await each. */
export interface Connection extends Reader {
  run(sql: string, values?: readonly Value[]): Promise<{ changes: number }>;
  /** Several statements without values. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

const MAX_PREPARED = 500;

/**
 * Opens `file` with the pragmas of a durable store. WAL: readers go on beside the writer. synchronous FULL: what was
 * answered survives a power cut; group commit pays for it. secure_delete: what a user erases is overwritten.
 * busy_timeout comes first, so that the others wait for a busy neighbour. Throws `unavailable` where it cannot open.
 */
export async function openConnection(
  file: string,
  { readOnly = false, busyTimeoutMs = 5000 }: { readOnly?: boolean; busyTimeoutMs?: number } = {},
): Promise<Connection> {
  const mode = readOnly ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
  const raw = await new Promise<sqlite3.Database>((resolve, reject) => {
    const database: sqlite3.Database = new sqlite3.Database(file, mode, (error) =>
      error ? reject(storageError(error)) : resolve(database),
    );
  });
  const connection = createConnection(raw);
  await connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  if (!readOnly)
    await connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
  await connection.exec(`
    PRAGMA foreign_keys = ON;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA mmap_size = 1073741824;
    PRAGMA cache_size = -65536;
    PRAGMA temp_store = MEMORY`);
  return connection;
}

function createConnection(raw: sqlite3.Database): Connection {
  const prepared = new Map<string, sqlite3.Statement>();

  function prepare(sql: string): Promise<sqlite3.Statement> {
    const known = prepared.get(sql);
    if (known) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const statement: sqlite3.Statement = raw.prepare(sql, (error: Error | null) => {
        if (error) return reject(storageError(error));
        if (prepared.size >= MAX_PREPARED) dropOldest();
        prepared.set(sql, statement);
        resolve(statement);
      });
    });
  }

  function dropOldest(): void {
    const [oldest] = prepared;
    if (!oldest) return;
    prepared.delete(oldest[0]);
    oldest[1].finalize();
  }

  async function all<T>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    const statement = prepared.get(sql) ?? (await prepare(sql));
    return new Promise((resolve, reject) => {
      statement.all<T>(values, (error, rows) => (error ? reject(storageError(error)) : resolve(rows)));
    });
  }

  return {
    all,
    async get<T>(sql: string, values: readonly Value[] = []) {
      return (await all<T>(sql, values))[0];
    },
    async run(sql, values = []) {
      const statement = prepared.get(sql) ?? (await prepare(sql));
      return new Promise((resolve, reject) => {
        statement.run(values, function (error) {
          if (error) reject(storageError(error));
          else resolve({ changes: this.changes });
        });
      });
    },
    exec: (sql) =>
      new Promise((resolve, reject) => {
        raw.exec(sql, (error) => (error ? reject(storageError(error)) : resolve()));
      }),
    async close() {
      for (const statement of prepared.values()) statement.finalize();
      prepared.clear();
      await new Promise<void>((resolve, reject) => {
        raw.close((error) => (error ? reject(storageError(error)) : resolve()));
      });
    },
  };
}
