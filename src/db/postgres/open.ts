import { AppError } from '../../contract/errors.ts';
import type { Log } from '../../lib/log.ts';
import { untilMoved } from '../database-state.ts';
import { createGroupCommit } from '../group-commit.ts';
import type { Database, OpenOptions, Snapshot } from '../open.ts';
import { createReaders } from '../readers.ts';
import { createSession, readerOf, type Session, type SessionObserver } from './connection.ts';
import { refuseOtherSchema } from './migrate.ts';
import { postgresTransactions } from './transactions.ts';

export interface PostgresOptions extends Omit<OpenOptions, 'extension' | 'busyTimeoutMs'> {
  /** The clock of the machine, whatever clock the daemon goes by. */
  machineNowMs: () => number;
  log: Log;
}

/**
 * Opens a migrated PostgreSQL database with one session to write, `readerCount` to read and one for lookups. Throws
 * `unavailable` if the server cannot be reached, `unprocessable` if the database has another schema version.
 */
export async function openPostgres(url: string, options: PostgresOptions): Promise<Database> {
  const observe = reportState(url, options.log);
  const writer = createSession(url, observe);
  await refuseOtherSchema(writer).catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });
  const readers = openReaders(url, options.readerCount, observe);
  const lookups = openReaders(url, 1, observe);
  const transactions = untilMoved(writer, postgresTransactions(writer));
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
    snapshot: () => openSnapshot(url),
    async probe(nowMs) {
      const probe = 'INSERT INTO pulse ("only", at) VALUES (1, ?) ON CONFLICT ("only") DO UPDATE SET at = excluded.at';
      await writes.write('daemon', (connection) => connection.run(probe, [nowMs]));
    },
    async clockOffsetMs() {
      const beforeMs = options.machineNowMs();
      const row = await lookups.get<{ ms: number }>(
        'SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms',
      );
      return row!.ms - (beforeMs + options.machineNowMs()) / 2;
    },
    // The server keeps its log by itself.
    checkpoint: async () => {},
    emptyLog: async () => {},
    close() {
      closed ??= close();
      return closed;
    },
  };
}

/** Logs once that the server is away, and once that it is back. */
function reportState(url: string, log: Log): SessionObserver {
  const { host } = new URL(url);
  let isAway = false;
  return (state, code) => {
    if ((state === 'lost') === isAway) return;
    isAway = state === 'lost';
    if (isAway) log.warn({ host, code }, 'PostgreSQL is away');
    else log.info({ host }, 'PostgreSQL is back');
  };
}

function openReaders(url: string, count: number, observe: SessionObserver) {
  const sessions = Array.from({ length: count }, () => createSession(url, observe));
  return createReaders(sessions, (session, tenantId) => readerOf(session, tenantId === undefined ? 'all' : [tenantId]));
}

async function openSnapshot(url: string): Promise<Snapshot> {
  const session: Session = createSession(url);
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
