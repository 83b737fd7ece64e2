import { chown, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';
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
import { syncFile } from './sync.ts';

/** Throws `unprocessable` for a file that is no backup at the first look: its header, and a log that belongs to it. */
export async function assertBackup(backup: string): Promise<void> {
  const found = await stat(backup).catch((error: NodeJS.ErrnoException) => {
    throw refusal(
      error.code === 'ENOENT' ? `There is no file ${backup}.` : `${backup} cannot be read (${error.code}).`,
    );
  });
  if (!found.isFile()) throw refusal(`${backup} is no file.`);
  switch (headerFault((await readHeader(backup)) ?? Buffer.alloc(0))) {
    case 'empty':
      throw refusal(`${backup} is empty.`);
    case 'no database':
      throw refusal(`${backup} is no SQLite database.`);
    case 'foreign':
      throw refusal(`${backup} is a database of another program.`);
  }
  if ((await fileSize(`${backup}-wal`)) === 0 && (await fileSize(`${backup}-journal`)) === 0) return;
  const advice = 'Make one with svc admin backup.';
  throw refusal(`${backup} has a log beside it that belongs to it, so that it alone is no whole backup. ${advice}`);
}

/**
 * How many accounts the present database holds: 0 where there is none, `undefined` where it cannot be read. Throws
 * `unprocessable` where it is another program's.
 */
export async function countAccountsIn(file: string): Promise<number | undefined> {
  const header = await readHeader(file);
  if (header === undefined) return 0;
  const fault = headerFault(header);
  if (fault === 'foreign') throw refusal(`${file} is a database of another program: it is left alone.`);
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
  /** Ends the name that the present database is kept under. */
  stamp: string;
  care: CopyHooks;
  onProgress: OnProgress;
  signal: AbortSignal;
}

export interface Restored extends CopyFacts {
  /** Where the database that was there is now. */
  former: string | undefined;
}

/**
 * Puts a copy of `backup` in the place of the database `file`, brought up to the schema of this program. All is checked
 * beforehand on a draft; the exchange is one rename, so that a kill at any point leaves the one or the other. Throws
 * `unprocessable` for a backup that is corrupt or of a newer svc, and `conflict` where another process has the present
 * database open; that is as it was then. Call it under the folder's lock.
 */
export async function restoreDatabase(backup: string, file: string, options: RestoreOptions): Promise<Restored> {
  const { care, onProgress, signal } = options;
  const draft = `${file}.restoring`;
  await discardCopy(draft);
  try {
    await copyFile(backup, draft, onProgress, signal);
    const facts = await inspectCopy(draft, backup);
    if (facts.schema < SCHEMA_VERSION) await migrate(draft);
    await runCopyHooks(draft, backup, care);
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

/** Who restores as root must not leave a database that the daemon's own user cannot open. */
async function adoptOwner(draft: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(file).catch(() => stat(dirname(file)));
  await chown(draft, uid, gid);
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
