import { access, lchown, lstat, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { backUp } from '../../daemon/backup.ts';
import type { Config } from '../../daemon/config-settings.ts';
import { lockFolder } from '../../db/folder-lock.ts';
import { schemaVersionOf } from '../../db/migrate.ts';
import { swapDatabase } from '../../db/swap-database.ts';
import { syncFolder, syncTree } from '../../lib/atomic-file.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, toFailure } from '../failure.ts';
import type { ProgressLine } from '../memory/progress-line.ts';
import type { RunProgram } from '../service/run-program.ts';
import { requireSuccess } from '../service/supervisor.ts';
import { versionOf } from '../upgrade/installation.ts';
import { freeName, needsBackup, outdatedVersions, type UpgradeRecord } from '../upgrade/plan.ts';
import type { ReleasedArchive } from '../upgrade/release.ts';
import type { UpgradedDaemon } from './upgrade-daemon.ts';
import { readRecord, removeRecord, writeRecord } from './upgrade-record.ts';
import type { ReleaseSource } from './upgrade-release.ts';

/** What the steps of an upgrade work with. */
export interface UpgradeWork {
  /** The installation. */
  folder: string;
  daemon: UpgradedDaemon;
  run: RunProgram;
  clock: Clock;
  note(text: string): void;
  progress: ProgressLine;
  /** Ends the upgrade before the switch; afterwards it goes on to one of its ends. */
  signal: AbortSignal;
  /** How long a daemon may take to become ready. */
  limitMs: number;
}

/** A release to upgrade to, and the folder of the version that it replaces. */
interface Target {
  source: ReleaseSource;
  archive: ReleasedArchive;
  from: string;
}

/** Unpacking takes seconds, but a minute or more on a memory card. */
const UNPACK_LIMIT_MS = 600_000;
const BACKUP_PREFIX = 'svc.db.before-upgrade-to-';

/**
 * Installs the archive beside the current version, backs up, switches and waits for the new daemon. Killed at any point
 * it leaves one version that runs, and the record from which the next call goes on. Throws `CommandFailure` with the old
 * version in place.
 */
export async function applyUpgrade(work: UpgradeWork, target: Target): Promise<UpgradeRecord> {
  const { folder, daemon, limitMs } = work;
  const { archive, from } = target;
  const to = await unpack(work, target).catch((error) => {
    throw fullDisk(error, folder);
  });
  const record = await switchAfterBackup(work, archive.version, { from, to }).catch(async (error) => {
    await daemon.resume(limitMs).catch(({ message }: Error) => work.note(message));
    throw fullDisk(error, daemon.config.dataDir);
  });
  await finishUpgrade(work, record);
  return record;
}

/** Stops the daemon, backs up its database and switches. */
async function switchAfterBackup(
  work: UpgradeWork,
  version: string,
  names: Pick<UpgradeRecord, 'from' | 'to'>,
): Promise<UpgradeRecord> {
  const { folder, daemon, clock, signal } = work;
  const { dataDir } = daemon.config;
  if (daemon.service !== undefined) work.note(`Stopping the ${daemon.service}`);
  await daemon.stop();
  await requireStopped(dataDir);
  const startedAt = toTimestamp(clock.nowMs());
  const backup = await backUpBefore(work, version);
  signal.throwIfAborted();
  const record: UpgradeRecord = { state: 'switching', ...names, dataDir, backup, startedAt };
  await writeRecord(folder, record);
  await switchTo(folder, names.to);
  return record;
}

/** Waits until the new daemon is ready and clears up. Throws `CommandFailure`, with the old version back, if it is not. */
export async function finishUpgrade(work: UpgradeWork, record: UpgradeRecord): Promise<void> {
  const { folder, daemon, limitMs } = work;
  work.note(`Starting svc ${versionOf(record.to)}`);
  try {
    await daemon.start(limitMs);
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    await goBack(work, record);
    const lines = [
      `svc ${versionOf(record.to)} did not become ready: ${failure.message}`,
      `svc ${versionOf(record.from)} is installed again, with its data; nothing was lost.`,
    ];
    await daemon.resume(limitMs).catch(({ message }: Error) => lines.push(`It does not start either: ${message}`));
    throw new CommandFailure(EXIT.failed, lines.join('\n'));
  }
  await writeRecord(folder, { ...record, state: 'finished' });
  for (const name of outdatedVersions(await readdir(folder), [record.from, record.to]))
    await rm(join(folder, name), { recursive: true });
  if (record.backup !== null) await removeOldBackups(record.dataDir, record.backup.file);
}

/**
 * Puts the former version back and, if the schema has changed since, its backup. The database comes first: while the new
 * version is the current one it can open both. Idempotent.
 */
export async function goBack(work: UpgradeWork, record: UpgradeRecord): Promise<void> {
  const { folder, daemon, clock } = work;
  work.note(`Going back to svc ${versionOf(record.from)}`);
  await writeRecord(folder, { ...record, state: 'returning' });
  await daemon.stop();
  if (record.backup !== null && needsBackup(record, await schemaIn(daemon.config))) {
    const former = await putBack(record.dataDir, record.backup.file, toTimestamp(clock.nowMs()));
    if (former !== undefined) work.note(`The database of svc ${versionOf(record.to)} is kept as ${former}.`);
  }
  await switchTo(folder, record.from);
  await removeRecord(folder);
}

/** Throws `CommandFailure` if a daemon serves the data folder. */
export async function requireStopped(dataDir: string): Promise<void> {
  const wasServed = await isThere(join(dataDir, 'daemon.lock'));
  if (!wasServed) return;
  const lock = await lockFolder(dataDir, process.pid);
  await lock.release();
}

/** The schema of the database file; `undefined` if there is none. */
export async function schemaIn({ dataDir, databaseUrl }: Config): Promise<number | undefined> {
  const file = join(dataDir, 'svc.db');
  return databaseUrl === undefined && (await isThere(file)) ? schemaVersionOf(file) : undefined;
}

/** Installs the archive beside the other versions and returns the name of its folder. Leaves nothing else behind. */
async function unpack(work: UpgradeWork, { source, archive, from }: Target): Promise<string> {
  const { folder } = work;
  const staging = join(folder, '.upgrade');
  await rm(staging, { recursive: true, force: true });
  const kept = [from, (await readRecord(folder))?.from ?? from];
  for (const name of outdatedVersions(await readdir(folder), kept)) await rm(join(folder, name), { recursive: true });
  await mkdir(staging);
  try {
    const program = await unpackInto(staging, work, { source, archive });
    const to = freeName(archive.version, await readdir(folder));
    await rename(program, join(folder, to));
    return to;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Downloads, verifies and unpacks the archive, and tries whether it runs here. Returns the folder of the program. */
async function unpackInto(
  staging: string,
  { note, progress, run, signal }: UpgradeWork,
  { source, archive }: Pick<Target, 'source' | 'archive'>,
): Promise<string> {
  const file = join(staging, archive.name);
  note(`Downloading ${archive.name} from ${source.address}`);
  const onProgress = (share: number) => progress.show(archive.name, share);
  const sha256 = await source.save(archive.name, file, { signal, onProgress }).finally(() => progress.clear());
  if (sha256 !== archive.sha256) {
    const what = `${archive.name} is damaged or was changed: its SHA-256 is ${sha256}, not ${archive.sha256}.`;
    throw new CommandFailure(EXIT.failed, `${what} Nothing was changed. Try again, or use another network.`);
  }
  note('Unpacking it');
  // Its files belong to whoever upgrades: root's tar would give them to the users that the archive names.
  const flags = archive.compression === 'xz' ? '-xoJf' : '-xozf';
  requireSuccess('tar', await run('tar', [flags, file, '-C', staging], { timeoutMs: UNPACK_LIMIT_MS }));
  const program = join(staging, archive.name.replace(/\.tar\.[gx]z$/, ''));
  const found = await lstat(program).catch(() => undefined);
  if (!found?.isDirectory())
    throw new CommandFailure(EXIT.failed, `${archive.name} has no folder ${basename(program)}.`);
  const { code, out, error } = await run(join(program, 'svc'), ['--version']);
  if (code !== 0 || out.trim() !== archive.version) {
    throw new CommandFailure(EXIT.failed, `${archive.name} does not run on this machine: ${error || out.trim()}`);
  }
  // A power failure after the switch must not leave a program with empty files.
  await syncTree(program);
  signal.throwIfAborted();
  return program;
}

/** Backs up the database file beside itself. Returns `null` if there is none. */
async function backUpBefore(work: UpgradeWork, version: string): Promise<UpgradeRecord['backup']> {
  const { daemon, note, progress, signal } = work;
  const { dataDir } = daemon.config;
  const schema = await schemaIn(daemon.config);
  if (schema === undefined) return null;
  const file = join(dataDir, `${BACKUP_PREFIX}${version}`);
  note(`Backing up the database to ${file}`);
  const onProgress = (share: number) => progress.show('copying the database', share);
  await backUp(daemon.config, file, { force: true, onProgress, signal }).finally(() => progress.clear());
  if (process.getuid?.() === 0) {
    // It may become the database again, which the daemon's user must be able to open.
    const { uid, gid } = await stat(join(dataDir, 'svc.db'));
    // That user can put a link in its place.
    await lchown(file, uid, gid);
  }
  return { file, schema };
}

/**
 * Makes the backup, which was checked when it was made, the database again: one rename, which needs no room on a disk that
 * may be full, and no migration by a program that may be newer. Returns where the replaced database is kept.
 */
async function putBack(dataDir: string, backup: string, at: string): Promise<string | undefined> {
  const file = join(dataDir, 'svc.db');
  return swapDatabase(backup, file, `${file}.before-restore-${at.replaceAll(':', '-')}`);
}

async function removeOldBackups(dataDir: string, kept: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const file = join(dataDir, name);
    if (name.startsWith(BACKUP_PREFIX) && file !== kept) await rm(file);
  }
}

/** Makes `current` lead to a version in one step. */
async function switchTo(folder: string, name: string): Promise<void> {
  const link = join(folder, 'current');
  await rm(`${link}.new`, { force: true });
  await symlink(name, `${link}.new`);
  await rename(`${link}.new`, link);
  await syncFolder(folder);
}

function fullDisk(error: unknown, folder: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && !/No space left on device/.test(message)) return error;
  return new CommandFailure(
    EXIT.failed,
    `The disk of ${folder} is full. Nothing was changed: make room and try again.`,
  );
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
