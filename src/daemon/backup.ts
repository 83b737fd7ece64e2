import { mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../contract/errors.ts';
import { backUpDatabase } from '../db/backup.ts';
import { openPlainConnection } from '../db/connection.ts';
import type { OnProgress } from '../db/copy-database.ts';
import type { CopyFacts, CopyHooks } from '../db/database-copy.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { assertBackup, countAccountsIn, type Restored, restoreDatabase } from '../db/restore.ts';
import { vectorProblems } from '../features/embeddings/vector-sync-sqlite.ts';
import { requiredMasterKey } from '../features/envelope/envelope.ts';
import { masterKeyOf } from '../features/envelope/master-key.ts';
import { textIndices } from '../features/text/text-index-sqlite.ts';
import { systemClock, toTimestamp } from '../lib/clock.ts';
import { existingDatabase } from './administration.ts';
import type { Config } from './config.ts';
import { masterKeyFile, readMasterKeys } from './master-key.ts';

/** How a person watches and ends what takes long. */
export interface ProgressOptions {
  onProgress: OnProgress;
  signal: AbortSignal;
}

export interface BackupReport extends CopyFacts {
  file: string;
  bytes: number;
  /** Where the master key is that opens what is sealed in the backup; `undefined`: in `SVC_MASTER_KEY`. */
  masterKeyFile: string | undefined;
}

/**
 * Backs the database of the data folder up into `file`, with the daemon running or not. Erased words, which the
 * full-text index gives up within minutes only, are not in it.
 */
export async function backUp(
  config: Config,
  file: string,
  options: ProgressOptions & { force: boolean },
): Promise<BackupReport> {
  const database = await existingDatabase(config);
  const target = await whereToWrite(file, database);
  const facts = await backUpDatabase(database, target, { ...options, hooks });
  const { size: bytes } = await stat(target);
  const keyFile = config.masterKeys ? undefined : masterKeyFile(config.dataDir);
  return { ...facts, file: target, bytes, masterKeyFile: keyFile };
}

/** The path behind links, in a folder that is there, and not one of the database's own files. */
async function whereToWrite(file: string, database: string): Promise<string> {
  const path = resolve(file);
  const folder = await realpath(dirname(path)).catch((error: NodeJS.ErrnoException) => {
    throw new AppError('unprocessable', `${dirname(path)} cannot be written (${error.code}).`);
  });
  const target = await realpath(path).catch(() => join(folder, basename(path)));
  const own = await realpath(database);
  if (target === own || target.startsWith(`${own}-`)) {
    throw new AppError('unprocessable', `${file} is the database itself. Choose another file.`);
  }
  return target;
}

export interface RestoreReport extends Restored {
  database: string;
  /** The name of the master key that svc will not start without, where it is not at hand. */
  missingMasterKey: string | undefined;
}

/**
 * Puts a backup in the place of the data folder's database, which is kept beside it. `confirm` is asked where it would
 * replace accounts (`undefined`: a database that cannot be read), and throws where that is not wanted. Throws `conflict`
 * where a daemon serves the folder.
 */
export async function restore(
  config: Config,
  backup: string,
  { confirm, ...progress }: ProgressOptions & { confirm(accounts: number | undefined): Promise<void> },
): Promise<RestoreReport> {
  await assertBackup(backup);
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(config.dataDir, process.pid);
  try {
    const database = join(config.dataDir, 'svc.db');
    await refuseItself(backup, database);
    const accounts = await countAccountsIn(database);
    if (accounts !== 0) await confirm(accounts);
    const stamp = toTimestamp(systemClock.nowMs()).replaceAll(':', '-');
    const restored = await restoreDatabase(backup, database, { ...progress, stamp, hooks });
    return { ...restored, database, missingMasterKey: await missingMasterKey(config, database) };
  } finally {
    await lock.release();
  }
}

async function missingMasterKey({ dataDir, masterKeys }: Config, database: string): Promise<string | undefined> {
  const connection = await openPlainConnection(database, { readOnly: true });
  try {
    const needed = await requiredMasterKey(connection);
    const atHand = masterKeys ?? (await readMasterKeys(dataDir)) ?? [];
    return atHand.some((key) => masterKeyOf(key).id === needed) ? undefined : needed;
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
