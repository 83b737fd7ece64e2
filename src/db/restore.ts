import { chown, open, stat } from 'node:fs/promises';
import { AppError } from '../contract/errors.ts';
import { inheritedOwner, syncFile } from '../lib/atomic-file.ts';
import { openPlainConnection } from './connection.ts';
import type { OnProgress } from './copy-database.ts';
import {
  type CopyFacts,
  type CopyHooks,
  copyFault,
  countAccounts,
  discardCopy,
  inspectCopy,
  runCopyHooks,
} from './database-copy.ts';
import { headerFault, readHeader } from './database-file.ts';
import { migrate, SCHEMA_VERSION } from './migrate.ts';
import { fileSize, swapDatabase } from './swap-database.ts';

/** Throws `unprocessable` if the header shows that `backup` is not one of ours, or if a log that belongs to it exists. */
export async function assertBackup(backup: string): Promise<void> {
  const found = await stat(backup).catch((error: NodeJS.ErrnoException) => {
    throw refusal(error.code === 'ENOENT' ? `${backup} does not exist.` : `${backup} cannot be read (${error.code}).`);
  });
  if (!found.isFile()) throw refusal(`${backup} is not a file.`);
  switch (headerFault((await readHeader(backup)) ?? Buffer.alloc(0))) {
    case 'empty':
      throw refusal(`${backup} is empty.`);
    case 'not-sqlite':
      throw refusal(`${backup} is not a SQLite database.`);
    case 'foreign':
      throw refusal(`${backup} is the database of another program.`);
  }
  if ((await fileSize(`${backup}-wal`)) === 0 && (await fileSize(`${backup}-journal`)) === 0) return;
  const advice = 'Make a backup with svc admin backup.';
  throw refusal(`${backup} has a log beside it, so the file alone is not a complete backup. ${advice}`);
}

/**
 * Counts the accounts of the database at `file`: 0 if there is no file, `undefined` if it cannot be read. Throws
 * `unprocessable` if it belongs to another program.
 */
export async function countAccountsIn(file: string): Promise<number | undefined> {
  const header = await readHeader(file);
  if (header === undefined) return 0;
  const fault = headerFault(header);
  if (fault === 'foreign') throw refusal(`${file} is the database of another program and was not changed.`);
  if (fault !== undefined) return undefined;
  const connection = await openPlainConnection(file, { readOnly: true });
  try {
    return await countAccounts(connection);
  } catch {
    return undefined;
  } finally {
    await connection.close();
  }
}

export interface RestoreOptions {
  /** Suffix of the name under which the replaced database is kept. */
  stamp: string;
  hooks: CopyHooks;
  onProgress: OnProgress;
  signal: AbortSignal;
}

export interface Restored extends CopyFacts {
  /** Path of the replaced database. */
  former: string | undefined;
}

/**
 * Replaces the database `file` with a copy of `backup`, migrated to the current schema. Everything is checked on a draft
 * first, and the swap is one rename, so that a kill at any point leaves either the old database or the new one. Throws
 * `unprocessable` if the backup is corrupt or was written by a newer svc, and `conflict` if another process has the
 * database open; the database is then unchanged. The caller holds the folder's lock.
 */
export async function restoreDatabase(backup: string, file: string, options: RestoreOptions): Promise<Restored> {
  const { hooks, onProgress, signal } = options;
  const draft = draftOf(file);
  await discardCopy(draft);
  try {
    await copyFile(backup, draft, onProgress, signal);
    const facts = await inspectCopy(draft, backup);
    if (facts.schema < SCHEMA_VERSION) await migrate(draft);
    await runCopyHooks(draft, backup, hooks);
    await adoptOwner(draft, file);
    await syncFile(draft);
    signal.throwIfAborted();
    const former = await swapDatabase(draft, file, `${file}.before-restore-${options.stamp}`);
    return { ...facts, former };
  } catch (error) {
    await discardCopy(draft);
    throw copyFault(error, file);
  }
}

/**
 * Deletes what a killed restore of the database `file` left: a whole copy, also of what was erased since the backup. The
 * caller holds the folder's lock, so none is under way.
 */
export async function removeLeftRestore(file: string): Promise<void> {
  await discardCopy(draftOf(file));
}

function draftOf(file: string): string {
  return `${file}.restoring`;
}

/** A restore run as root must not leave a database that the daemon's user cannot open. */
async function adoptOwner(draft: string, file: string): Promise<void> {
  const { uid, gid } = await inheritedOwner(file);
  if (uid !== undefined && gid !== undefined) await chown(draft, uid, gid);
}

const BLOCK_BYTES = 4 * 1024 * 1024;

async function copyFile(from: string, to: string, onProgress: OnProgress, signal: AbortSignal): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'wx', 0o600);
  try {
    const { size } = await source.stat();
    const block = Buffer.alloc(BLOCK_BYTES);
    for (let done = 0; ; onProgress(done / size)) {
      const { bytesRead } = await source.read(block, 0, BLOCK_BYTES);
      if (bytesRead === 0) return;
      await target.writeFile(block.subarray(0, bytesRead));
      done += bytesRead;
      signal.throwIfAborted();
    }
  } finally {
    await source.close();
    await target.close();
  }
}

function refusal(message: string): AppError {
  return new AppError('unprocessable', message);
}
