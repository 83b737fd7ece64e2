import { AppError } from '../contract/errors.ts';

/** An error of the database engine, without the bound values that its message may contain. */
export class StorageFault extends Error {
  override readonly name = 'StorageFault';
  readonly code: string;
  constructor(code: string, engine: 'SQLite' | 'PostgreSQL') {
    super(`${engine} failed with ${code}`);
    this.code = code;
  }
}

/** Whether the storage itself failed (locked, full, I/O error), as opposed to an `AppError` that we raised. */
export function isStorageFailure(error: unknown): error is AppError {
  return error instanceof AppError && error.cause instanceof StorageFault;
}

/** Whether another process kept the database, or the rows of a tenant, locked for longer than the timeout. */
export function isLocked(error: unknown): boolean {
  return isStorageFailure(error) && LOCKED.has((error.cause as StorageFault).code);
}

/** Whether the file is corrupt or not a database. */
export function isCorrupt(error: unknown): boolean {
  return isStorageFailure(error) && CORRUPT.has((error.cause as StorageFault).code);
}

const LOCKED = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL', '55P03']);
const CORRUPT = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

/**
 * Maps an error of the sqlite3 driver: a full disk to `storage_full`; a lock timeout, a failing disk or a closed
 * database to `unavailable`; anything else to a `StorageFault`, a bug of ours. Bound values never pass.
 */
export function storageError(error: unknown): AppError | StorageFault {
  const code = (error as { code?: string }).code ?? 'SQLITE_ERROR';
  const cause = new StorageFault(code, 'SQLite');
  switch (code) {
    case 'SQLITE_FULL':
      return new AppError('storage_full', 'The disk that stores the memories is full. Free some space and try again.', {
        cause,
      });
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
    case 'SQLITE_PROTOCOL':
      return new AppError('unavailable', 'Another process has locked the database. Try again in a moment.', {
        retryAfterSeconds: 5,
        cause,
      });
    case 'SQLITE_IOERR':
    case 'SQLITE_MISUSE':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_NOMEM':
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return new AppError('unavailable', 'The database is unavailable at the moment.', {
        retryAfterSeconds: 5,
        cause,
      });
    default: {
      // A bug in our SQL: the message helps, and with literals masked it contains no values, as all are bound.
      const fault = cause;
      fault.message = String((error as Error).message).replace(/'(?:[^']|'')*'/g, "'…'");
      return fault;
    }
  }
}
