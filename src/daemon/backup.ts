import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { backUpDatabase } from '../db/backup.ts';
import { openPlainConnection } from '../db/connection.ts';
import type { OnProgress } from '../db/copy-database.ts';
import type { CopyFacts, CopyHooks } from '../db/database-copy.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { assertBackup, countAccountsIn, type Restored, restoreDatabase } from '../db/restore.ts';
import { vectorProblems } from '../features/embeddings/vector-sync.ts';
import { requiredMasterKey } from '../features/envelope/envelope.ts';
import { masterKeyOf } from '../features/envelope/master-key.ts';
import { textIndices } from '../features/text/text-indices.ts';
import { systemClock, toTimestamp } from '../lib/clock.ts';
import { makeFolder } from '../lib/make-folder.ts';
import type { Config } from './config-settings.ts';
import { existingFile, requireFile } from './database-location.ts';
import { noteBackup } from './last-backup.ts';
import { forgetCheck } from './last-check.ts';
import { masterKeyFile, readMasterKeys } from './master-key.ts';

export interface ProgressOptions {
  onProgress: OnProgress;
  signal: AbortSignal;
}

export interface BackupReport extends CopyFacts {
  file: string;
  bytes: number;
  /** Path of the master key that decrypts the backup's secrets; `undefined` if it is in `SVC_MASTER_KEY`. */
  masterKeyFile: string | undefined;
}

/**
 * Backs up the data folder's database to `file`, whether or not the daemon is running. The copy contains no erased words,
 * although the live full-text index takes minutes to drop them. Notes the time in the data folder.
 */
export async function backUp(
  config: Config,
  file: string,
  options: ProgressOptions & { force: boolean },
): Promise<BackupReport> {
  requireFile(config);
  const database = await existingFile(config);
  const target = await resolveTarget(file, database);
  const startedMs = systemClock.nowMs();
  const facts = await backUpDatabase(database, target, { ...options, hooks });
  await noteBackup(config.dataDir, startedMs).catch(() => {
    // A user who can only read the data folder can still back it up.
  });
  const { size: bytes } = await stat(target);
  const keyFile = config.masterKeys ? undefined : masterKeyFile(config.dataDir);
  return { ...facts, file: target, bytes, masterKeyFile: keyFile };
}

/**
 * Resolves the folder. Throws `unprocessable` if it is missing, if the file belongs to the database itself, or if it is a
 * symbolic link: `--force` would overwrite a file that nobody named.
 */
async function resolveTarget(file: string, database: string): Promise<string> {
  const path = resolve(file);
  const folder = await realpath(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    throw new AppError('unprocessable', `${dirname(path)} cannot be written (${error.code}).`);
  });
  const target = await realpath(path).catch(() => join(folder, basename(path)));
  const own = await realpath(database);
  if (target === own || target.startsWith(`${own}-`)) {
    throw new AppError('unprocessable', `${file} is the database itself. Choose another file.`);
  }
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) {
    throw new AppError('unprocessable', `${file} is a symbolic link. Name the file itself, or remove the link.`);
  }
  return target;
}

export interface RestoreReport extends Restored {
  database: string;
  /** The id of the master key that svc needs to start, if it is not available. */
  missingMasterKey: string | undefined;
}

/**
 * Replaces the data folder's database with a backup and keeps the old one beside it. If accounts would be replaced,
 * calls `confirm` with their number (`undefined` if the database cannot be read), which throws to cancel. Throws
 * `conflict` if a daemon is running on the folder.
 */
export async function restore(
  config: Config,
  backup: string,
  { confirm, ...progress }: ProgressOptions & { confirm(accounts: number | undefined): Promise<void> },
): Promise<RestoreReport> {
  await assertBackup(backup);
  requireFile(config);
  await makeFolder(config.dataDir);
  const lock = await lockFolder(config.dataDir, process.pid);
  try {
    const database = join(config.dataDir, 'svc.db');
    await refuseItself(backup, database);
    const accounts = await countAccountsIn(database);
    if (accounts !== 0) await confirm(accounts);
    const stamp = toTimestamp(systemClock.nowMs()).replaceAll(':', '-');
    const restored = await restoreDatabase(backup, database, { ...progress, stamp, hooks });
    await forgetCheck(config.dataDir);
    return { ...restored, database, missingMasterKey: await missingMasterKey(config, database) };
  } finally {
    await lock.release();
  }
}

async function missingMasterKey({ dataDir, masterKeys }: Config, database: string): Promise<string | undefined> {
  const connection = await openPlainConnection(database, { readOnly: true });
  try {
    const required = await requiredMasterKey(connection);
    const available = masterKeys ?? (await readMasterKeys(dataDir)) ?? [];
    return available.some((key) => masterKeyOf(key).id === required) ? undefined : required;
  } finally {
    await connection.close();
  }
}

async function refuseItself(backup: string, database: string): Promise<void> {
  const [from, to] = await Promise.all([realpath(backup), realpath(database).catch(() => database)]);
  if (from === to) throw new AppError('unprocessable', `${backup} is the database itself. Name a backup.`);
}

const hooks: CopyHooks = {
  async purgeErased(connection) {
    for (const index of Object.values(textIndices)) {
      let portion: 'first' | 'next' = 'first';
      while (await index.purge(connection, portion)) portion = 'next';
    }
  },
  async problems(connection) {
    const found: string[] = [];
    for (const index of Object.values(textIndices)) found.push(...(await index.problems(connection)));
    found.push(...(await vectorProblems(connection)));
    return found;
  },
};
