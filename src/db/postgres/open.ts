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
import { postgresTransactions } from './transactions.ts';

export interface PostgresOptions extends Omit<OpenOptions, 'extension' | 'busyTimeoutMs'> {
  /** The clock of the machine, whatever clock the daemon goes by. */
  machineNowMs: () => number;
  log: Log;
  /** `write` by default. */
  writesAs?: TransactionKind;
}

/**
 * Opens a migrated PostgreSQL database with one session to write, one for writes that wait for those of other daemons, `readerCount`
 * to read and one for lookups. Throws
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
  const waitingWriter = createSession(url, availability);
  const transactionsOf = (session: Session) => untilMoved(session, postgresTransactions(session, options.writesAs));
  const writes = createGroupCommit(writer, {
    ...options,
    transactions: transactionsOf(writer),
    waiting: { connection: waitingWriter, transactions: transactionsOf(waitingWriter) },
  });
  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    await writes.drain();
    await readers.close();
    await lookups.close();
    await writer.close();
    await waitingWriter.close();
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

interface Durability {
  synchronousCommit: string;
  fsync: string;
  standbyNames: string;
  /** Standbys, and backups or other programs that follow the write-ahead log. */
  followers: number;
}

/** Warns if the user of the URL may see the rows of all tenants whatever the transaction says. */
async function warnOfSuperuser(session: Session, log: Log): Promise<void> {
  const role = await session.get<{ name: string }>(
    'SELECT rolname AS name FROM pg_roles WHERE rolname = current_user AND (rolsuper OR rolbypassrls)',
  );
  if (!role) return;
  const advice = 'connect as a user that owns the database and is not a superuser';
  log.warn({ user: role.name }, `row-level security does not hold for the user of SVC_DATABASE_URL: ${advice}`);
}

/** Warns if the server acknowledges writes that it can lose: in a crash, or when a standby that follows it takes over. */
async function warnOfLoss(session: Session, log: Log): Promise<void> {
  const row = await session.get<Durability>(
    `SELECT current_setting('synchronous_commit') AS synchronousCommit, current_setting('fsync') AS fsync,
       current_setting('synchronous_standby_names') AS standbyNames,
       (SELECT COUNT(*) FROM pg_stat_replication) AS followers`,
  );
  const { synchronousCommit, fsync, standbyNames, followers } = row!;
  if (fsync === 'off' || synchronousCommit === 'off') {
    log.warn({ fsync, synchronousCommit }, 'PostgreSQL can lose acknowledged writes in a crash: turn both settings on');
    return;
  }
  if (followers === 0 || (standbyNames !== '' && synchronousCommit !== 'local')) return;
  const advice = 'set synchronous_standby_names, and synchronous_commit to on or remote_apply';
  log.warn({ followers }, `a standby that takes over can lack acknowledged writes: ${advice}`);
}
