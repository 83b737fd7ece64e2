import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Config } from './config-settings.ts';
import { createScheduledBackups, type ScheduledBackups } from './scheduled-backup.ts';
import { createUpdateCheck, type UpdateCheck, type UpdateLog } from './update-check.ts';

/** What a daemon does for its operator. */
export interface Upkeep {
  /** Undefined on PostgreSQL, whose own tools make backups. */
  backups: ScheduledBackups | undefined;
  /** Undefined if it is off. */
  updates: UpdateCheck | undefined;
}

export function createUpkeep(config: Config, parts: { version: string; clock: Clock; log: Log & UpdateLog }): Upkeep {
  return {
    backups: config.databaseUrl === undefined ? createScheduledBackups({ config, ...parts }) : undefined,
    updates: config.updateCheck === 'on' ? createUpdateCheck({ url: config.updateUrl, ...parts }) : undefined,
  };
}
