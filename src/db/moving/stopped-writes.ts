import { type Connection, openConnection, type Reader } from '../connection.ts';
import { type DatabaseState, setDatabaseState } from '../database-state.ts';
import { createSession } from '../postgres/connection.ts';
import { lockDaemonWrites } from '../postgres/transactions.ts';
import { lockWrites } from '../transactions.ts';

/** A database that nobody else writes to: daemons answer writes with 503 and `Retry-After`, and still serve reads. */
export interface StoppedWrites {
  /** Sees every write that was acknowledged. */
  reader: Reader;
  /** Sets the state of the database, which decides whether writes continue or are refused. */
  end(state: DatabaseState | undefined): Promise<void>;
  /** Lets writes continue. Does nothing after `end`. */
  release(): Promise<void>;
}

/** How long to wait for writes that are under way. */
const WAIT_MS = 30_000;

/** Waits for the writes that are under way and stops all others, of every daemon. Throws `unavailable` after 30 s. */
export async function stopWrites(location: { file: string } | { url: string }): Promise<StoppedWrites> {
  const connection = await ('file' in location ? lockFile(location.file) : lockServer(location.url));
  let isOpen = true;
  async function close(): Promise<void> {
    isOpen = false;
    await connection.close();
  }
  return {
    reader: connection,
    async end(state) {
      await setDatabaseState(connection, state);
      await connection.exec('COMMIT');
      await close();
    },
    // Closing rolls the transaction back.
    release: async () => (isOpen ? close() : undefined),
  };
}

async function lockFile(file: string): Promise<Connection> {
  const connection = await openConnection(file, { busyTimeoutMs: WAIT_MS });
  return closeOnError(connection, connection.exec('BEGIN IMMEDIATE'));
}

async function lockServer(url: string): Promise<Connection> {
  const session = createSession(url);
  const lock = async () => {
    await session.begin('all', 'longWrite');
    // The transaction outlives pauses in which the target is written.
    await session.exec(`SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = ${WAIT_MS}`);
    await lockDaemonWrites(session);
    // Conflicts with the row locks that writes of tenants begin with, not with reading.
    await lockWrites(session);
  };
  return closeOnError(session, lock());
}

async function closeOnError(connection: Connection, work: Promise<void>): Promise<Connection> {
  try {
    await work;
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}
