import { rm } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { type Connection, openPlainConnection } from './connection.ts';
import { integrityProblems } from './integrity.ts';
import { SCHEMA_VERSION } from './migrate.ts';
import { isCorrupt } from './storage-error.ts';

/** Facts read from a copied database. */
export interface CopyFacts {
  /** Schema version, at most that of this program. */
  schema: number;
  accounts: number;
}

/** Work of the features on a copy with the current schema. */
export interface CopyHooks {
  /** Purges erased words from the full-text indices. */
  purgeErased(connection: Connection): Promise<void>;
  /** Finds where indices and rows disagree. */
  problems(connection: Connection): Promise<string[]>;
}

/** Throws `unprocessable` if the copy, named `name` in messages, is corrupt or was written by a newer svc. */
export async function inspectCopy(draft: string, name: string): Promise<CopyFacts> {
  const [problem] = await integrityProblems(draft, 'integrity_check');
  if (problem !== undefined) throw corrupt(name, problem);
  return inOneFile(draft, async (connection) => {
    const version = await connection.get<{ user_version: number }>('PRAGMA user_version');
    const schema = version!.user_version;
    if (schema > SCHEMA_VERSION) {
      const message = `${name} was written by a newer svc (schema ${schema}; this one supports ${SCHEMA_VERSION}).`;
      throw new AppError('unprocessable', `${message} Install the newer svc.`);
    }
    return { schema, accounts: schema === 0 ? 0 : await countAccounts(connection) };
  });
}

/** Counts the accounts that are not being erased. */
export async function countAccounts(connection: Connection): Promise<number> {
  const row = await connection.get<{ count: number }>('SELECT count(*) AS count FROM tenants WHERE erasedAt IS NULL');
  return row!.count;
}

/** Runs the hooks on a copy with the current schema. Throws `unprocessable` if they find problems. */
export async function runCopyHooks(draft: string, name: string, hooks: CopyHooks): Promise<void> {
  const [problem] = await inOneFile(draft, async (connection) => {
    await hooks.purgeErased(connection);
    return hooks.problems(connection);
  }).catch((error: unknown) => {
    if (isCorrupt(error)) throw corrupt(name, 'its pages cannot be read as a database');
    throw error;
  });
  if (problem !== undefined) throw corrupt(name, problem);
}

/**
 * Opens a copy without a log beside it, so that it stays one file. Nothing is synced: the caller syncs once at the end
 * and discards an unfinished copy.
 */
async function inOneFile<T>(draft: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openPlainConnection(draft);
  try {
    await connection.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON');
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Removes a copy and the files that SQLite may have put beside it. */
export async function discardCopy(draft: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(draft + suffix, { force: true });
}

/** Converts a file system error about `path` to an `AppError`; returns any other error unchanged. */
export function copyFault(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || (error instanceof AppError && error.code === 'storage_full');
  if (isFull) return new AppError('storage_full', `The disk of ${path} is full.`, { cause: error });
  return syscall === undefined
    ? error
    : new AppError('unprocessable', `${path} cannot be written (${syscall}: ${code}).`);
}

function corrupt(name: string, problem: string): AppError {
  return new AppError('unprocessable', `${name} is corrupt (${problem}).`);
}
