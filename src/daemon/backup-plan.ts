import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../lib/atomic-file.ts';
import { type BackupSchedule, formatBackupSchedule, parseBackupSchedule } from './backup-schedule.ts';
import type { Config } from './config-settings.ts';

/** When the daemon makes backups, where, and how many it keeps. */
export interface BackupPlan {
  schedule: BackupSchedule | 'off';
  keep: number;
  folder: string;
}

const DEFAULT_KEEP = 7;

type Settings = Pick<Config, 'dataDir' | 'backupSchedule' | 'backupKeep' | 'backupDir'>;

/** The plan in force: settings win over what `svc backup --schedule` stored in the data folder. */
export async function readBackupPlan({
  dataDir,
  backupSchedule,
  backupKeep,
  backupDir,
}: Settings): Promise<BackupPlan> {
  const stored = await readStored(dataDir);
  return {
    schedule: backupSchedule ?? stored.schedule ?? 'off',
    keep: backupKeep ?? stored.keep ?? DEFAULT_KEEP,
    folder: backupDir ?? stored.folder ?? join(dataDir, 'backups'),
  };
}

/** Stores a plan in the data folder. A running daemon follows it within a minute. */
export async function storeBackupPlan(dataDir: string, { schedule, keep, folder }: BackupPlan): Promise<void> {
  const text = JSON.stringify({ schedule: formatBackupSchedule(schedule), keep, folder });
  // The daemon may run as another user than the command.
  await replaceFile(fileIn(dataDir), `${text}\n`, { mode: 0o644 });
}

const fileIn = (dataDir: string) => join(dataDir, 'backup-schedule.json');

/** Throws if the file is damaged, so that backups do not end unnoticed. */
async function readStored(dataDir: string): Promise<Partial<BackupPlan>> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return {};
  const { schedule, keep, folder } = JSON.parse(text) as { schedule: string; keep: number; folder: string };
  return { schedule: parseBackupSchedule(schedule), keep, folder };
}
