import { access, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { copyDatabase, type OnProgress } from './copy-database.ts';
import { type CopyFacts, type CopyHooks, copyFault, discardCopy, inspectCopy, runCopyHooks } from './database-copy.ts';
import { SCHEMA_VERSION } from './migrate.ts';
import { syncFile, syncFolder } from './sync.ts';

export interface BackupOptions {
  /** Replaces a file that is there; never a device or a pipe. */
  force: boolean;
  care: CopyHooks;
  onProgress: OnProgress;
  signal: AbortSignal;
}

/**
 * Writes the database at `file` to `target` as it is when this begins, in one file of mode 0600, while others go on
 * writing. It takes its name once it is whole, sound and on the disk. Throws `conflict` where `target` is there and
 * `unprocessable` where the database is corrupt; nothing is left behind then.
 */
export async function backUpDatabase(file: string, target: string, options: BackupOptions): Promise<CopyFacts> {
  const { force, care, onProgress, signal } = options;
  await (force ? refuseSpecial(target) : refuseExisting(target));
  const draft = `${target}.${process.pid}.draft`;
  try {
    await createPrivate(draft);
    await copyDatabase(file, draft, onProgress, signal);
    const { schema } = await inspectCopy(draft, file);
    if (schema === SCHEMA_VERSION) await runCopyHooks(draft, file, care);
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

async function refuseExisting(target: string): Promise<void> {
  const isFree = await access(target).then(
    () => false,
    () => true,
  );
  if (!isFree)
    throw new AppError('conflict', `${target} is there already. Choose another name, or replace it by --force.`);
}

/** A rename would put the copy in the place of `/dev/null` itself. */
async function refuseSpecial(target: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  if (!found || found.isFile() || found.isDirectory()) return;
  throw new AppError('conflict', `${target} is no ordinary file. Choose another name.`);
}

/** SQLite would let everybody read what it makes. */
async function createPrivate(draft: string): Promise<void> {
  const handle = await open(draft, 'wx', 0o600);
  await handle.close();
}
