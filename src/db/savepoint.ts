import { AppError } from '../contract/errors.ts';
import type { Connection } from './connection.ts';
import { isStorageFailure } from './storage-error.ts';

/** Runs part of a transaction. If it throws an `AppError`, its own writes are undone and the rest stays. */
export async function withinSavepoint<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  await connection.exec('SAVEPOINT part');
  try {
    const result = await work();
    await connection.exec('RELEASE part');
    return result;
  } catch (error) {
    if (error instanceof AppError && !isStorageFailure(error)) await connection.exec('ROLLBACK TO part; RELEASE part');
    throw error;
  }
}
