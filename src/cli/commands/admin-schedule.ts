import { resolve } from 'node:path';
import { type BackupPlan, readBackupPlan, storeBackupPlan } from '../../daemon/backup-plan.ts';
import { formatBackupSchedule, nextDueMs, parseBackupSchedule } from '../../daemon/backup-schedule.ts';
import { existingFile, requireFile } from '../../daemon/database-location.ts';
import { lastBackupMs } from '../../daemon/last-backup.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { formatTimeWithDate } from '../memory/relative-time.ts';
import type { AdminContext } from './admin-context.ts';

export interface ScheduleOptions {
  /** `true` shows the schedule. */
  schedule: string | true;
  keep?: number;
  to?: string;
}

/** `svc backup --schedule`: stores or shows when the daemon makes backups. */
export async function scheduleBackups({ schedule, keep, to }: ScheduleOptions, shared: AdminContext): Promise<void> {
  const { print } = shared;
  const config = await shared.config();
  requireFile(config);
  await existingFile(config);
  if (schedule !== true) {
    if (config.backupSchedule !== undefined) {
      const message = 'SVC_BACKUP_SCHEDULE is set and takes precedence. Change it, or unset it.';
      throw new CommandFailure(EXIT.usage, message);
    }
    const before = await readBackupPlan(config);
    const folder = to === undefined ? before.folder : resolve(to);
    await storeBackupPlan(config.dataDir, { schedule: parsed(schedule), keep: keep ?? before.keep, folder });
  }
  const plan = await readBackupPlan(config);
  const nowMs = (await shared.context()).clock.nowMs();
  const lastMs = await lastBackupMs(config.dataDir);
  const nextMs = plan.schedule === 'off' ? undefined : nextDueMs(plan.schedule, nowMs);
  print(scheduleText(plan, { lastMs, nextMs, nowMs, isNew: schedule !== true }), {
    schedule: formatBackupSchedule(plan.schedule),
    keep: plan.keep,
    folder: plan.folder,
    lastBackupAt: toTimestampOrNull(lastMs ?? null),
    nextBackupAt: nextMs === undefined ? null : toTimestamp(nextMs),
  });
}

function parsed(text: string): BackupPlan['schedule'] {
  try {
    return parseBackupSchedule(text);
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `--schedule ${(error as Error).message}`);
  }
}

interface Times {
  lastMs: number | undefined;
  nextMs: number | undefined;
  nowMs: number;
  isNew: boolean;
}

function scheduleText({ schedule, keep, folder }: BackupPlan, { lastMs, nextMs, nowMs, isNew }: Times): string {
  const last = `Last backup: ${lastMs === undefined ? 'none known' : formatTimeWithDate(lastMs, nowMs)}.`;
  if (schedule === 'off' || nextMs === undefined) return `No backups are scheduled. ${last}`;
  return [
    `The daemon backs up ${formatBackupSchedule(schedule)} into ${folder} and keeps the newest ${keep}.`,
    `${last} Next: ${formatTimeWithDate(nextMs, nowMs)}${isNew ? ', and within a minute if one is missing' : ''}.`,
    'Copy them to another machine, and the master key to a third place.',
  ].join('\n');
}
