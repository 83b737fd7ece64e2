import { AppError } from '../contract/errors.ts';
import type { Connection, Reader } from './connection.ts';
import type { Transactions } from './transactions.ts';

/** A database that is one end of a move: `arriving` while the move fills it, `moved` once the other end took its place. */
export interface DatabaseState {
  state: 'arriving' | 'moved';
  /** Names the other database, without a password. */
  otherEnd: string;
  /** When the state was set, in epoch milliseconds. */
  at: number;
}

/** Returns `undefined` for a database that serves. */
export async function findDatabaseState(reader: Reader): Promise<DatabaseState | undefined> {
  return reader.get<DatabaseState>('SELECT state, otherEnd, at FROM databaseState');
}

/** Sets the state; `undefined` lets the database serve. */
export async function setDatabaseState(connection: Connection, state: DatabaseState | undefined): Promise<void> {
  await connection.run('DELETE FROM databaseState');
  if (state === undefined) return;
  const { state: name, otherEnd, at } = state;
  await connection.run('INSERT INTO databaseState (id, state, otherEnd, at) VALUES (1, ?, ?, ?)', [name, otherEnd, at]);
}

/** Throws `conflict`, with what to do, unless the database serves. */
export async function refuseUnlessServing(reader: Reader): Promise<void> {
  const found = await findDatabaseState(reader);
  if (found === undefined) return;
  throw new AppError('conflict', found.state === 'moved' ? movedTo(found) : arrivingFrom(found));
}

function movedTo({ otherEnd }: DatabaseState): string {
  const advice = otherEnd.startsWith('sqlite:')
    ? 'Unset SVC_DATABASE_URL and set SVC_DATA_DIR to the folder of that file'
    : 'Set SVC_DATABASE_URL to that database';
  return `This database was moved to ${otherEnd}. ${advice}. To serve this one again, run svc admin move --cancel.`;
}

function arrivingFrom({ otherEnd }: DatabaseState): string {
  const advice = 'Run the same svc admin move again to finish it.';
  return `This database is incomplete: a move from ${otherEnd} has not finished. ${advice}`;
}

/** Transactions that refuse writes with `unavailable` once the database has been moved. */
export function untilMoved(connection: Connection, transactions: Transactions): Transactions {
  return {
    ...transactions,
    async lock(writers, waitMs) {
      const busy = await transactions.lock(writers, waitMs);
      const found = await findDatabaseState(connection);
      if (found?.state !== 'moved') return busy;
      const message = 'The memories were moved to another database. Try again once the daemon uses that one.';
      throw new AppError('unavailable', message, { retryAfterSeconds: 30 });
    },
  };
}
