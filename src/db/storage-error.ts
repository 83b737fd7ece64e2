import { AppError } from '../contract/errors.ts';

/** What SQLite said, without the values that its texts may hold. */
export class StorageFault extends Error {
  readonly sqliteCode: string;
  constructor(sqliteCode: string) {
    super(`SQLite answered ${sqliteCode}`);
    this.name = 'StorageFault';
    this.sqliteCode = sqliteCode;
  }
}

/** Whether this failure is a broken UNIQUE or CHECK rule. */
export function isConstraintFault(error: unknown): boolean {
  return error instanceof StorageFault && error.sqliteCode === 'SQLITE_CONSTRAINT';
}

/** Whether the storage itself refused (locked, full, failing), whatever was asked of it; not a refusal of ours. */
export function isStorageFailure(error: unknown): error is AppError {
  return error instanceof AppError && error.cause instanceof StorageFault;
}

/** Whether another process kept the database locked for longer than the time-out. */
export function isLocked(error: unknown): boolean {
  return isStorageFailure(error) && LOCKED.has((error.cause as StorageFault).sqliteCode);
}

/** Whether the file cannot be understood as a database. */
export function isCorrupt(error: unknown): boolean {
  return isStorageFailure(error) && CORRUPT.has((error.cause as StorageFault).sqliteCode);
}

const LOCKED = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL']);
const CORRUPT = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB']);

/**
 * An error of the sqlite3 driver as ours: a full disk is `storage_full`; a lock that was not given in time, a failing
 * disk or a closed database `unavailable`; the rest stays a fault of svc itself. Bound values never pass.
 */
export function storageError(error: unknown): AppError | StorageFault {
  const code = (error as { code?: string }).code ?? 'SQLITE_ERROR';
  const cause = new StorageFault(code);
  switch (code) {
    case 'SQLITE_FULL':
      return new AppError('storage_full', 'The disk that holds the memories is full. Free some space and try again.', {
        cause,
      });
    case 'SQLITE_BUSY':
    case 'SQLITE_LOCKED':
    case 'SQLITE_PROTOCOL':
      return new AppError('unavailable', 'Another process holds the database. Try again in a moment.', {
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
      return new AppError('unavailable', 'The database cannot be reached at the moment.', {
        retryAfterSeconds: 5,
        cause,
      });
    default: {
      // A mistake in our SQL: the statement's own text helps and holds no values, as all are bound.
      const fault = cause;
      fault.message = String((error as Error).message).replace(/'(?:[^']|'')*'/g, "'…'");
      return fault;
    }
  }
}
