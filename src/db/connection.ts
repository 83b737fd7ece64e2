import sqlite3 from 'sqlite3';
import { AppError } from '../contract/errors.ts';
import { type Engine, translate } from './dialect.ts';
import { storageError } from './storage-error.ts';
import { extensionFault } from './vector-extension.ts';

export type Value = string | number | Buffer | null;
/** Column values by column name; stores cast rows to their own types. */
export type Row = Record<string, Value>;

/** Runs queries, in the SQL that `translate` describes: a single connection or the pool of readers. */
export interface Reader {
  readonly engine: Engine;
  all<T = Row>(sql: string, values?: readonly Value[]): Promise<T[]>;
  get<T = Row>(sql: string, values?: readonly Value[]): Promise<T | undefined>;
}

/** One connection. Statements are prepared once and run one at a time: await each. */
export interface Connection extends Reader {
  run(sql: string, values?: readonly Value[]): Promise<{ changes: number }>;
  /** Runs one or more statements without bound values. */
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
}

const MAX_PREPARED = 500;

export interface OpenConnectionOptions {
  readOnly?: boolean;
  /** Creates a missing file instead of failing. */
  create?: boolean;
  /** How long a statement waits for another connection's lock. */
  busyTimeoutMs?: number;
  /** Path of the extension to load. */
  extension?: string | undefined;
}

/** Opens `file` with SQLite's default pragmas. Throws `unavailable` if it cannot be opened. */
export async function openPlainConnection(file: string, options: OpenConnectionOptions = {}): Promise<Connection> {
  return createConnection(await openDriver(file, options));
}

/** Opens the driver's own connection, for what statements cannot do. */
export async function openDriver(
  file: string,
  { readOnly = false, create = false, busyTimeoutMs = 5000, extension }: OpenConnectionOptions = {},
): Promise<sqlite3.Database> {
  const mode = readOnly ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE | (create ? sqlite3.OPEN_CREATE : 0);
  const raw = await new Promise<sqlite3.Database>((resolve, reject) => {
    const database: sqlite3.Database = new sqlite3.Database(file, mode, (error) =>
      error ? reject(storageError(error)) : resolve(database),
    );
  });
  raw.configure('busyTimeout', busyTimeoutMs);
  if (extension !== undefined) await loadExtension(raw, extension);
  return raw;
}

/** Closes the database and throws `unprocessable` if the extension cannot be loaded. */
async function loadExtension(raw: sqlite3.Database, path: string): Promise<void> {
  const error = await new Promise<Error | null>((resolve) => raw.loadExtension(path, resolve));
  if (error === null) return;
  await new Promise<void>((resolve) => raw.close(() => resolve()));
  throw extensionFault(error);
}

/**
 * Opens `file` with the pragmas of a durable store. WAL: readers do not block the writer. synchronous FULL:
 * acknowledged writes survive a power cut; group commit makes that affordable. secure_delete: erased content is
 * overwritten. Throws `unavailable` if the file cannot be opened, and leaves nothing open.
 */
export async function openConnection(file: string, options: OpenConnectionOptions = {}): Promise<Connection> {
  const connection = await openPlainConnection(file, options);
  try {
    if (!options.readOnly) await makeDurable(connection);
    await connection.exec(`
      PRAGMA foreign_keys = ON;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA mmap_size = 1073741824;
      PRAGMA cache_size = -65536;
      PRAGMA temp_store = MEMORY`);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function makeDurable(connection: Connection): Promise<void> {
  const mode = await connection.get<{ journal_mode: string }>('PRAGMA journal_mode = WAL');
  if (mode?.journal_mode !== 'wal') {
    throw new AppError(
      'unavailable',
      'The file system of the data folder does not support a write-ahead log (a network folder?).',
    );
  }
  await connection.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
}

/** Wraps a driver connection; closing it closes the driver's. */
export function createConnection(raw: sqlite3.Database): Connection {
  const prepared = new Map<string, sqlite3.Statement>();
  const preparing = new Set<Promise<sqlite3.Statement>>();

  async function prepare(sql: string): Promise<sqlite3.Statement> {
    const preparation = prepareNew(sql);
    preparing.add(preparation);
    try {
      return await preparation;
    } finally {
      preparing.delete(preparation);
    }
  }

  function prepareNew(sql: string): Promise<sqlite3.Statement> {
    return new Promise((resolve, reject) => {
      const statement: sqlite3.Statement = raw.prepare(translate(sql, 'sqlite'), (error: Error | null) => {
        if (error) return reject(storageError(error));
        const first = prepared.get(sql);
        if (first) {
          statement.finalize();
          return resolve(first);
        }
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
    engine: 'sqlite',
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
      // SQLite refuses to close while a statement is not finalized.
      while (preparing.size > 0) await Promise.allSettled(preparing);
      for (const statement of prepared.values()) statement.finalize();
      prepared.clear();
      await new Promise<void>((resolve, reject) => {
        raw.close((error) => (error ? reject(storageError(error)) : resolve()));
      });
    },
  };
}
