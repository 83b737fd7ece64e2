import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isOtherProcess } from '../lib/atomic-file.ts';
import { parseTimestamp, toTimestamp } from '../lib/clock.ts';
import { type BackupSchedule, lastDueMs } from './backup-schedule.ts';

/** `svc-2026-11-23T03-00-00Z.db`, after the time at which the backup was started. */
const NAME = /^svc-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/;

/** An unfinished backup as `draftOf` names it, and what SQLite puts beside it. */
const DRAFT = /^(.+)\.(\d+)\.draft(?:-(?:wal|shm|journal))?$/;
const DAY_MS = 24 * 3_600_000;

/** The name of a backup that is started now. Names sort by time. */
export function backupName(nowMs: number): string {
  return `svc-${toTimestamp(nowMs)
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')}.db`;
}

/** When the backup of this name was started; `undefined` if the file is anything else. */
function startOfBackup(name: string): number | undefined {
  const [, day, ...time] = NAME.exec(name) ?? [];
  return day === undefined ? undefined : parseTimestamp(`${day}T${time.join(':')}Z`);
}

/** Whether a backup is due: none in the folder was started since the schedule's last time. */
export function isBackupDue(schedule: BackupSchedule, names: readonly string[], nowMs: number): boolean {
  const dueMs = lastDueMs(schedule, nowMs);
  return !names.some((name) => {
    const startMs = startOfBackup(name);
    return startMs !== undefined && startMs >= dueMs && startMs <= nowMs;
  });
}

/** The backups that are not among the newest `keep`. Those from the future, made while the clock was wrong, count as the oldest. */
export function outdatedBackups(names: readonly string[], keep: number, nowMs: number): string[] {
  const own = names.filter((name) => startOfBackup(name) !== undefined).sort();
  const isFuture = (name: string) => startOfBackup(name)! > nowMs;
  const oldestFirst = [...own.filter(isFuture), ...own.filter((name) => !isFuture(name))];
  return oldestFirst.slice(0, Math.max(0, own.length - keep));
}

/** What was left of backups that were killed. After a day another process may have the id. */
function leftDrafts(names: readonly string[], nowMs: number): string[] {
  return names.filter((name) => {
    const [, backup = '', pid] = DRAFT.exec(name) ?? [];
    const startMs = startOfBackup(backup);
    return startMs !== undefined && (nowMs - startMs > DAY_MS || !isOtherProcess(Number(pid)));
  });
}

/** The files in a folder of backups; none if it does not exist. */
export async function listBackupFolder(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

/** Deletes all but the newest `keep` backups that svc made in a folder. Other files stay. */
export async function pruneBackups(folder: string, keep: number, nowMs: number): Promise<void> {
  for (const name of outdatedBackups(await listBackupFolder(folder), keep, nowMs)) await rm(join(folder, name));
}

/** Deletes what backups into a folder left when they were killed: whole copies, also of what was erased since. */
export async function removeLeftDrafts(folder: string, nowMs: number): Promise<void> {
  for (const name of leftDrafts(await listBackupFolder(folder), nowMs)) await rm(join(folder, name), { force: true });
}
