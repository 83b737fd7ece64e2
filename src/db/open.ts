import { stat } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { type Connection, openConnection } from './connection.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { SCHEMA_VERSION, schemaVersionOf } from './migrate.ts';
import { createReaders, type Readers } from './readers.ts';

/** Files up to this size are checked whole at each start (about a quarter of a second). */
const QUICK_CHECK_BYTES = 64 * 1024 * 1024;

/** The database as the rooms see it: what reads, and the one queue that writes. */
export interface Database {
  readers: Readers;
  writes: GroupCommit;
  /** Empties the write-ahead log into the file; gives up quietly where readers are in the way. */
  checkpoint(): Promise<void>;
  /** Waits for the queued writes, empties the log and closes. */
  close(): Promise<void>;
}

export interface OpenOptions {
  readerCount: number;
  monotonicMs: () => number;
  onBatch?: (jobs: number, ms: number) => void;
  busyTimeoutMs?: number;
}

/**
 * Opens a migrated database file: one writer, `readerCount` readers. Throws `unprocessable` where the file is corrupt
 * or its schema is not this program's.
 */
export async function openDatabase(file: string, options: OpenOptions): Promise<Database> {
  await refuseOtherSchema(file);
  await refuseCorrupt(file);
  const busyTimeoutMs = options.busyTimeoutMs ?? 5000;
  const writer = await openConnection(file, { busyTimeoutMs });
  // A checkpoint waits for readers while it holds the writer out: on a connection of its own it may wait but briefly.
  const checkpointer = await openConnection(file, { busyTimeoutMs: 100 });
  const connections: Connection[] = [];
  for (let count = 0; count < options.readerCount; count += 1) {
    connections.push(await openConnection(file, { readOnly: true, busyTimeoutMs }));
  }
  const readers = createReaders(connections);
  const writes = createGroupCommit(writer, options.onBatch, options.monotonicMs);
  const checkpoint = () => checkpointer.exec('PRAGMA wal_checkpoint(TRUNCATE)').catch(ignoreBusy);
  return {
    readers,
    writes,
    checkpoint,
    async close() {
      await writes.drain();
      await readers.close();
      await checkpoint();
      await checkpointer.close();
      await writer.close();
    },
  };
}

function ignoreBusy(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
}

async function refuseOtherSchema(file: string): Promise<void> {
  const version = await schemaVersionOf(file);
  if (version === SCHEMA_VERSION) return;
  const advice =
    version < SCHEMA_VERSION ? 'Start the daemon once (svc serve): it brings it up to date.' : 'Install the newer svc.';
  throw new AppError('unprocessable', `${file} has schema ${version}, this svc needs ${SCHEMA_VERSION}. ${advice}`);
}

async function refuseCorrupt(file: string): Promise<void> {
  const { size } = await stat(file);
  if (size > QUICK_CHECK_BYTES) return;
  const problems = await integrityProblems(file, 'quick_check');
  if (problems.length > 0) {
    throw new AppError(
      'unprocessable',
      `${file} is corrupt (${problems[0]}). Restore a backup; the file is untouched.`,
    );
  }
}

/** What SQLite finds wrong with the file; empty where it is sound. */
export async function integrityProblems(file: string, check: 'quick_check' | 'integrity_check'): Promise<string[]> {
  const connection = await openConnection(file, { readOnly: true });
  try {
    const rows = await connection.all<Record<string, string>>(`PRAGMA ${check}(20)`);
    return rows.map((row) => Object.values(row)[0] ?? '').filter((line) => line !== 'ok');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    await connection.close();
  }
}
