import { type Connection, openConnection } from './connection.ts';
import { untilMoved } from './database-state.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { refuseCorrupt } from './integrity.ts';
import { otherSchema, SCHEMA_VERSION, schemaVersionOf } from './migrate.ts';
import { writePulse } from './pulse.ts';
import { createReaders, type Readers } from './readers.ts';
import { isLocked } from './storage-error.ts';
import { sqliteTransactions } from './transactions.ts';

/** A read-only connection with a consistent view of the whole database. While one is open, the write-ahead log only grows. */
export type Snapshot = Connection;

/** The database as features see it: a pool of readers, a reader for lookups and a single write queue. */
export interface Database {
  readers: Readers;
  /** For lookups by key, which never wait behind a search or a list. */
  lookups: Readers;
  writes: GroupCommit;
  /** Opens a snapshot of the current state on its own connection; the caller closes it. */
  snapshot(): Promise<Snapshot>;
  /** Writes a dummy row through the queue; throws if the database is not writable, or if the last checkpoint failed. */
  probe(nowMs: number): Promise<void>;
  /** How far the database server's clock is ahead of this machine's; absent if there is no server. */
  clockOffsetMs?(): Promise<number>;
  /** Checkpoints and truncates the write-ahead log; does nothing if others block it. Throws if the disk fails. */
  checkpoint(): Promise<void>;
  /** Checkpoints until the log is empty, so that nothing erased is left in it; gives up if others block it for seconds. */
  emptyLog(): Promise<void>;
  /** Waits for queued writes, checkpoints and closes. Idempotent. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readerCount: number;
  monotonicMs: () => number;
  onBatch?: (jobs: number, ms: number) => void;
  busyTimeoutMs?: number;
  /** Path of the extension that readers load. */
  extension?: string | undefined;
  /** The caller has just checked the file for corruption, as `migrate` does. */
  isVerified?: boolean | undefined;
}

/**
 * Opens a migrated database file with one writer, `readerCount` readers and one reader for lookups. Throws
 * `unprocessable` if the file is corrupt, has another schema version or the extension cannot be loaded, and leaves
 * nothing open.
 */
export async function openDatabase(file: string, options: OpenOptions): Promise<Database> {
  if (!options.isVerified) await refuseCorrupt(file);
  await refuseOtherSchema(file);
  const { writer, checkpointer, reading, lookingUp } = await openAll(file, options);
  const readers = createReaders(reading);
  const lookups = createReaders([lookingUp]);
  const transactions = untilMoved(writer, sqliteTransactions(writer));
  const writes = createGroupCommit(writer, { ...options, transactions });
  let checkpointFault: unknown;
  /** Returns whether the log is empty. */
  async function tryCheckpoint(): Promise<boolean> {
    try {
      // PASSIVE does the work beside the writer, so that TRUNCATE, which under constant writes would not get its lock,
      // has little left to copy while the writer waits.
      await checkpointer.exec('PRAGMA wal_checkpoint(PASSIVE)');
      const outcome = await writes.between(() => checkpointer.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)'));
      checkpointFault = undefined;
      return outcome?.busy === 0;
    } catch (error) {
      if (isLocked(error)) return false;
      checkpointFault = error;
      throw error;
    }
  }
  /** Readers block most attempts for some milliseconds only. */
  async function checkpointWithin(maxTries: number): Promise<void> {
    for (let tries = 1; !(await tryCheckpoint()) && tries < maxTries; tries += 1);
  }
  const checkpoint = () => checkpointWithin(3);
  async function close(): Promise<void> {
    await writes.drain();
    await readers.close();
    await lookups.close();
    await checkpoint().catch(() => {
      // The log holds everything, and the next start continues from it.
    });
    await checkpointer.close();
    await writer.close();
  }
  let closed: Promise<void> | undefined;
  return {
    readers,
    lookups,
    writes,
    snapshot: () => openSnapshot(file),
    checkpoint,
    emptyLog: () => checkpointWithin(20),
    async probe(nowMs) {
      await writes.write('daemon', (connection) => writePulse(connection, nowMs));
      // Writes still succeed, but the log holds them all and only grows.
      if (checkpointFault !== undefined) throw checkpointFault;
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** A checkpoint that waits for readers blocks the writer, so it has its own connection with a short timeout. */
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
    const lookingUp = await open(true, busyTimeoutMs);
    return { writer, checkpointer, reading, lookingUp };
  } catch (error) {
    for (const connection of opened) await connection.close();
    throw error;
  }
}

async function openSnapshot(file: string): Promise<Snapshot> {
  const connection = await openConnection(file, { readOnly: true });
  try {
    // Each page is read once, so a page cache or memory map would only add to the memory of the process.
    await connection.exec('PRAGMA cache_size = -2048; PRAGMA mmap_size = 0; BEGIN');
    // The transaction begins with its first read.
    await connection.get('SELECT 1 FROM sqlite_master LIMIT 1');
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Throws `unprocessable` if the file has another schema version. */
export async function refuseOtherSchema(file: string): Promise<void> {
  const version = await schemaVersionOf(file);
  if (version !== SCHEMA_VERSION) throw otherSchema(file, version);
}
