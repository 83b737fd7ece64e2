import { AppError } from '../../contract/errors.ts';
import { createGroupCommit } from '../group-commit.ts';
import type { Database, OpenOptions, Snapshot } from '../open.ts';
import { createReaders } from '../readers.ts';
import { createSession, readerOf, type Session } from './connection.ts';
import { refuseOtherSchema } from './migrate.ts';
import { postgresTransactions } from './transactions.ts';

/**
 * Opens a migrated PostgreSQL database with one session to write, `readerCount` to read and one for lookups. Throws
 * `unavailable` if the server cannot be reached, `unprocessable` if the database has another schema version.
 */
export async function openPostgres(url: string, options: Omit<OpenOptions, 'extension'>): Promise<Database> {
  const writer = createSession(url);
  await refuseOtherSchema(writer).catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });
  const readers = openReaders(url, options.readerCount);
  const lookups = openReaders(url, 1);
  const writes = createGroupCommit(writer, { ...options, transactions: postgresTransactions(writer) });
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
      const probe = 'INSERT INTO pulse (only, at) VALUES (1, ?) ON CONFLICT (only) DO UPDATE SET at = excluded.at';
      await writes.write('daemon', (connection) => connection.run(probe, [nowMs]));
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

function openReaders(url: string, count: number) {
  const sessions = Array.from({ length: count }, () => createSession(url));
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
