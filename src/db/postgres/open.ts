import { AppError } from '../../contract/errors.ts';
import type { Log } from '../../lib/log.ts';
import { untilMoved } from '../database-state.ts';
import { createGroupCommit } from '../group-commit.ts';
import type { Database, OpenOptions, Snapshot } from '../open.ts';
import { writePulse } from '../pulse.ts';
import { createReaders } from '../readers.ts';
import { type Availability, createAvailability } from './availability.ts';
import { createSession, inReadTransaction, type Session, type TransactionKind } from './connection.ts';
import { refuseOtherSchema } from './migrate.ts';
import { warnOfLoss, warnOfSuperuser } from './start-warnings.ts';
import { postgresTransactions } from './transactions.ts';

export interface PostgresOptions extends Omit<OpenOptions, 'extension' | 'busyTimeoutMs'> {
  /** The clock of the machine, whatever clock the daemon goes by. */
  machineNowMs: () => number;
  log: Log;
  /** `write` by default. */
  writesAs?: TransactionKind;
}

/**
 * Opens a migrated PostgreSQL database with one session to write, `readerCount` to read and one for lookups. Throws
 * `unavailable` if the server cannot be reached, `unprocessable` if the database has another schema version.
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Database> {
  const availability = createAvailability(url, options.log);
  const writer = createSession(url, availability);
  try {
    await refuseOtherSchema(writer);
    await warnOfSuperuser(writer, options.log);
    await warnOfLoss(writer, options.log);
  } catch (error) {
    await writer.close();
    throw error;
  }
  const readers = openReaders(url, options.readerCount, availability);
  const lookups = openReaders(url, 1, availability);
  const transactions = untilMoved(writer, postgresTransactions(writer, options.writesAs));
  const writes = createGroupCommit(writer, { ...options, transactions });
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    await writes.drain();
    await readers.close();
    await lookups.close();
    await writer.close();
  }
  return {
    readers,
    lookups,
    writes,
    snapshot: () => openSnapshot(url, availability),
    async probe(nowMs) {
      await writes.write('daemon', (connection) => writePulse(connection, nowMs));
    },
    clockOffsetMs: () =>
      // Measured once a session is free: the time that others take is not an offset.
      lookups.use(async (reader) => {
        const beforeMs = options.machineNowMs();
        const row = await reader.get<{ ms: number }>(
          'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms',
        );
        return row!.ms - (beforeMs + options.machineNowMs()) / 2;
      }),
    // The server checkpoints its own log.
    checkpoint: async () => {},
    emptyLog: async () => {},
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function openReaders(url: string, count: number, availability: Availability) {
  const sessions = Array.from({ length: count }, () => createSession(url, availability));
  return createReaders(sessions, (session, tenantId, work) =>
    inReadTransaction(session, tenantId === undefined ? 'all' : [tenantId], work),
  );
}

async function openSnapshot(url: string, availability: Availability): Promise<Snapshot> {
  const session: Session = createSession(url, availability);
  try {
    await session.begin('all', 'snapshot');
    // The view is taken with the first query.
    await session.all('SELECT 1');
    return session;
  } catch (error) {
    await session.close();
    throw error instanceof AppError ? error : new AppError('unavailable', 'The database is unavailable at the moment.');
  }
}
