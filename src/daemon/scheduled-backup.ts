import { join } from 'node:path';
import { createTask, type Task } from '../features/operator/operator-tasks.ts';
import { type Clock, parseTimestamp } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { backUp } from './backup.ts';
import { backupName, isBackupDue, listBackupFolder, pruneBackups, removeLeftDrafts } from './backup-folder.ts';
import { type BackupPlan, readBackupPlan } from './backup-plan.ts';
import type { Config } from './config-settings.ts';

/** A failed backup is tried again after this time. */
const RETRY_MS = 15 * 60_000;

/** Backups that the daemon makes in its folder, by schedule or on request. */
export interface ScheduledBackups {
  /** Makes a backup now. With a schedule, old ones are deleted afterwards. */
  task: Task;
  plan(): Promise<BackupPlan>;
  /** Starts a backup if one is due. Call it every minute. */
  follow(): Promise<void>;
  /** Whether backups succeed; `undefined` without a schedule. */
  state(): 'ok' | 'failing' | undefined;
}

export function createScheduledBackups({
  config,
  clock,
  log,
}: {
  config: Config;
  clock: Clock;
  log: Log;
}): ScheduledBackups {
  let isScheduled = false;
  /** The plan or its folder could be read. */
  let isReadable = true;

  const task = createTask(
    async (run) => {
      const { folder, keep, schedule } = await readBackupPlan(config);
      await makeFolder(folder);
      // First: they may be what fills the disk.
      await removeLeftDrafts(folder, clock.nowMs());
      const { file, bytes } = await backUp(config, join(folder, backupName(clock.nowMs())), { ...run, force: false });
      log.info({ file, bytes }, 'backed up');
      if (schedule !== 'off') await pruneBackups(folder, keep, clock.nowMs());
      return [];
    },
    { clock, log, failure: 'backup failed' },
  );

  function failedLately(nowMs: number): boolean {
    const last = task.state();
    const endedMs = last?.state === 'failed' ? parseTimestamp(last.finishedAt ?? '') : undefined;
    // One that ended in the future did before the clock was set back.
    return endedMs !== undefined && nowMs >= endedMs && nowMs - endedMs < RETRY_MS;
  }

  return {
    task,
    plan: () => readBackupPlan(config),
    async follow() {
      isReadable = false;
      const { schedule, folder } = await readBackupPlan(config);
      isScheduled = schedule !== 'off';
      const names = schedule === 'off' ? [] : await listBackupFolder(folder);
      isReadable = true;
      const nowMs = clock.nowMs();
      if (schedule !== 'off' && !failedLately(nowMs) && isBackupDue(schedule, names, nowMs)) task.start();
    },
    state() {
      if (!isReadable) return 'failing';
      if (!isScheduled) return undefined;
      return task.state()?.state === 'failed' ? 'failing' : 'ok';
    },
  };
}
