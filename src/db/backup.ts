import { access, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { syncFile, syncFolder } from '../lib/atomic-file.ts';
import { copyDatabase, type OnProgress } from './copy-database.ts';
import { type CopyFacts, type CopyHooks, copyFault, discardCopy, inspectCopy, runCopyHooks } from './database-copy.ts';
import { SCHEMA_VERSION } from './migrate.ts';

export interface BackupOptions {
  /** Replaces an existing file, but never a device or a pipe. */
  force: boolean;
  hooks: CopyHooks;
  onProgress: OnProgress;
  signal: AbortSignal;
}

/**
 * Writes a snapshot of the database at `file` to `target`, one file of mode 0600, without blocking writers. The file
 * appears under its name only once it is complete, checked and synced. Throws `conflict` if `target` exists and
 * `unprocessable` if the database is corrupt, and leaves no file behind.
 */
export async function backUpDatabase(file: string, target: string, options: BackupOptions): Promise<CopyFacts> {
  const { force, hooks, onProgress, signal } = options;
  await (force ? refuseSpecial(target) : refuseExisting(target));
  const draft = draftOf(target, process.pid);
  try {
    await createPrivate(draft);
    await copyDatabase(file, draft, onProgress, signal);
    const { schema } = await inspectCopy(draft, file);
    if (schema === SCHEMA_VERSION) await runCopyHooks(draft, file, hooks);
    const facts = await inspectCopy(draft, file);
    await syncFile(draft);
    signal.throwIfAborted();
    if (!force) await refuseExisting(target);
    await rename(draft, target);
    await syncFolder(dirname(target));
    return facts;
  } catch (error) {
    await discardCopy(draft);
    throw copyFault(error, target);
  }
}

/** The file that a process writes a backup to until it is complete; a kill leaves it behind. */
export function draftOf(target: string, pid: number): string {
  return `${target}.${pid}.draft`;
}

async function refuseExisting(target: string): Promise<void> {
  const isFree = await access(target).then(
    () => false,
    () => true,
  );
  if (!isFree)
    throw new AppError('conflict', `${target} already exists. Choose another name, or replace it with --force.`);
}

/** Renaming the copy would replace `/dev/null` itself. */
async function refuseSpecial(target: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  if (!found || found.isFile() || found.isDirectory()) return;
  throw new AppError('conflict', `${target} is not a regular file. Choose another name.`);
}

/** Creates the file first: SQLite would make it readable by everybody. */
async function createPrivate(draft: string): Promise<void> {
  const handle = await open(draft, 'wx', 0o600);
  await handle.close();
}
