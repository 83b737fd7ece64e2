import { AppError } from '../../contract/errors.ts';
import { StorageFault } from '../storage-error.ts';

/** Errors of the connection, for which PostgreSQL has no code. */
const LOST = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
/** Classes and codes of conditions that pass: connections, shutdown, resources, time-outs, a standby after a failover. */
const PASSING = /^(08|53|57P|58|25006|57014|55P03|28|3D000)/;
const DISK_FULL = '53100';
/** A text with a NUL character, which PostgreSQL can neither store nor look up. */
const NOT_TEXT = new Set(['22021', '22P05']);
const RETRYABLE = new Set(['40P01', '40001']);

/** Whether PostgreSQL undid a transaction because it collided with another, so that it can be repeated. */
export function isCollision(error: unknown): boolean {
  return error instanceof StorageFault && RETRYABLE.has(error.code);
}

/**
 * Maps an error of the pg driver: a full disk to `storage_full`; a NUL character to `invalid_request`; a lost connection,
 * a time-out or a server that stops to `unavailable`; anything else to a `StorageFault`, a bug of ours. Bound values
 * never pass.
 */
export function postgresError(error: unknown): AppError | StorageFault {
  if (error instanceof AppError || error instanceof StorageFault) return error;
  const { code, message } = error as { code?: string; message: string };
  const cause = new StorageFault(code ?? 'connection lost', 'PostgreSQL');
  if (code === DISK_FULL) {
    const full = 'The disk that stores the memories is full. Free some space and try again.';
    return new AppError('storage_full', full, { cause });
  }
  // Without a cause: the request is at fault, not the storage, and others in its transaction are not refused with it.
  if (code !== undefined && NOT_TEXT.has(code))
    return new AppError('invalid_request', 'The request contains a NUL character.');
  // The driver has no codes for connections that it closed itself.
  if (code === undefined || LOST.test(code) || PASSING.test(code)) {
    return new AppError('unavailable', 'The database is unavailable at the moment.', { retryAfterSeconds: 5, cause });
  }
  cause.message = message.replace(/'(?:[^']|'')*'/g, "'…'");
  return cause;
}
