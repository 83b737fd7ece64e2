import { AppError } from '../contract/errors.ts';
import { type Connection, openConnection, type Reader } from './connection.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { refuseCorrupt } from './integrity.ts';
import { SCHEMA_VERSION, schemaVersionOf } from './migrate.ts';
import { createReaders, type Readers } from './readers.ts';

/** One state of the whole database, whatever is written meanwhile. While it is open the write-ahead log only grows. */
export interface Snapshot extends Reader {
  close(): Promise<void>;
}

/** The database as the rooms see it: what reads, and the one queue that writes. */
export interface Database {
  readers: Readers;
  writes: GroupCommit;
  /** The state of this moment, on a connection of its own: close it. */
  snapshot(): Promise<Snapshot>;
  /** Writes a row without meaning through the queue: throws where the database cannot be written. */
  probe(nowMs: number): Promise<void>;
  /** Empties the write-ahead log into the file; gives up quietly where readers are in the way. */
  checkpoint(): Promise<void>;
  /** Waits for the queued writes, empties the log and closes; a second call waits for the first. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readerCount: number;
  monotonicMs: () => number;
  onBatch?: (jobs: number, ms: number) => void;
  busyTimeoutMs?: number;
  /** Path of an extension that the readers load. */
  extension?: string | undefined;
}

/**
 * Opens a migrated database file: one writer, `readerCount` readers. Throws `unprocessable` where the file is corrupt
 * or its schema is not this program's, or the extension cannot be loaded, and leaves nothing open then.
 */
export async function openDatabase(file: string, options: OpenOptions): Promise<Database> {
  await refuseCorrupt(file);
  await refuseOtherSchema(file);
  const { writer, checkpointer, reading } = await openAll(file, options);
  const readers = createReaders(reading);
  const writes = createGroupCommit(writer, options.onBatch, options.monotonicMs);
  async function checkpoint(): Promise<void> {
    try {
      // The first does the work beside the writer; the second, which holds it out, has next to nothing left to copy.
      await checkpointer.exec('PRAGMA wal_checkpoint(PASSIVE)');
      await checkpointer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
    }
  }
  async function close(): Promise<void> {
    await writes.drain();
    await readers.close();
    await checkpoint();
    await checkpointer.close();
    await writer.close();
  }
  let closed: Promise<void> | undefined;
  return {
    readers,
    writes,
    snapshot: () => openSnapshot(file),
    checkpoint,
    probe: (nowMs) =>
      writes.write(async (connection) => {
        await connection.run(PROBE, [nowMs]);
      }),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

const PROBE = 'INSERT INTO pulse (only, at) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET at = excluded.at';

/** A checkpoint that waits for readers holds the writer out: on a connection of its own it waits but briefly. */
const CHECKPOINT_WAIT_MS = 100;

async function openAll(file: string, { readerCount, busyTimeoutMs = 5000, extension }: OpenOptions) {
  const opened: Connection[] = [];
  const open = async (readOnly: boolean, waitMs: number) => {
    const loaded = readOnly ? extension : undefined;
    const connection = await openConnection(file, { readOnly, busyTimeoutMs: waitMs, extension: loaded });
    opened.push(connection);
    return connection;
  };
  try {
    const writer = await open(false, busyTimeoutMs);
    const checkpointer = await open(false, CHECKPOINT_WAIT_MS);
    const reading: Connection[] = [];
    while (reading.length < readerCount) reading.push(await open(true, busyTimeoutMs));
    return { writer, checkpointer, reading };
  } catch (error) {
    for (const connection of opened) await connection.close();
    throw error;
  }
}

async function openSnapshot(file: string): Promise<Snapshot> {
  const connection = await openConnection(file, { readOnly: true });
  try {
    // Each page is read once: neither a cache nor a map of the file, which would all count as memory of the process.
    await connection.exec('PRAGMA cache_size = -2048; PRAGMA mmap_size = 0; BEGIN');
    // The transaction begins with its first read.
    await connection.get('SELECT 1 FROM sqlite_master LIMIT 1');
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function refuseOtherSchema(file: string): Promise<void> {
  const version = await schemaVersionOf(file);
  if (version === SCHEMA_VERSION) return;
  const advice =
    version < SCHEMA_VERSION ? 'Start the daemon once (svc serve): it brings it up to date.' : 'Install the newer svc.';
  throw new AppError('unprocessable', `${file} has schema ${version}, this svc needs ${SCHEMA_VERSION}. ${advice}`);
}
