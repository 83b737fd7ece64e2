import { rm } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { type Connection, openPlainConnection } from './connection.ts';
import { integrityProblems } from './integrity.ts';
import { SCHEMA_VERSION } from './migrate.ts';
import { isCorrupt } from './storage-error.ts';

/** What a copy tells about itself. */
export interface CopyFacts {
  /** Schema version, at most that of this program. */
  schema: number;
  accounts: number;
}

/**
 * What the rooms do to a copy of the current schema: `settle` takes erased words out of it, `problems` finds where their
 * indices and rows differ.
 */
export interface CopyHooks {
  settle(connection: Connection): Promise<void>;
  problems(connection: Connection): Promise<string[]>;
}

/** Throws `unprocessable` for a copy, called `name`, that is corrupt or was written by a newer svc. */
export async function inspectCopy(draft: string, name: string): Promise<CopyFacts> {
  const [problem] = await integrityProblems(draft, 'integrity_check');
  if (problem !== undefined) throw corrupt(name, problem);
  return inOneFile(draft, async (connection) => {
    const version = await connection.get<{ user_version: number }>('PRAGMA user_version');
    const schema = version!.user_version;
    if (schema > SCHEMA_VERSION) {
      const message = `${name} was written by a newer svc (schema ${schema}, this one knows ${SCHEMA_VERSION}).`;
      throw new AppError('unprocessable', `${message} Install the newer svc.`);
    }
    return { schema, accounts: schema === 0 ? 0 : await countAccounts(connection) };
  });
}

/** How many accounts there are. */
export async function countAccounts(connection: Connection): Promise<number> {
  const row = await connection.get<{ count: number }>('SELECT count(*) AS count FROM tenants WHERE erasedAt IS NULL');
  return row!.count;
}

/** Lets the rooms take care of a copy of the current schema. Throws `unprocessable` where their indices are wrong. */
export async function runCopyHooks(draft: string, name: string, care: CopyHooks): Promise<void> {
  const [problem] = await inOneFile(draft, async (connection) => {
    await care.settle(connection);
    return care.problems(connection);
  }).catch((error: unknown) => {
    if (isCorrupt(error)) throw corrupt(name, 'its pages cannot be read as a database');
    throw error;
  });
  if (problem !== undefined) throw corrupt(name, problem);
}

/**
 * Works on a copy that is to be one file, without a log beside it. Nothing is flushed to the disk before the end: the
 * caller does that once, and throws a copy away that was not finished.
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

/** Removes a copy that is not wanted, with what SQLite may have put beside it. */
export async function discardCopy(draft: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(draft + suffix, { force: true });
}

/** What the file system refused about `path`, as an error that says so; any other error as it is. */
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
