import { type BackupSchedule, backupCount, formatBackupSchedule, parseBackupSchedule } from './backup-schedule.ts';
import { oneOf, shownUrl, urlOf } from './config-values.ts';
import type { Setting } from './setting.ts';

/** How a daemon logs, backs up and checks for updates. */
export interface MaintenanceConfig {
  logLevel: string;
  /** `auto` is text on a terminal and JSON elsewhere. */
  logFormat: 'auto' | 'text' | 'json';
  /** If absent, the log goes to standard error and the rest to standard output. */
  logFile: string | undefined;
  /** If absent, the one that `svc backup --schedule` stored in the data folder. */
  backupSchedule: BackupSchedule | 'off' | undefined;
  backupKeep: number | undefined;
  backupDir: string | undefined;
  updateCheck: 'on' | 'off';
  updateUrl: string;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** The settings of `MaintenanceConfig`. */
export const MAINTENANCE_SETTINGS: { [K in keyof MaintenanceConfig]: Setting<MaintenanceConfig[K]> } = {
  logLevel: {
    env: 'SVC_LOG_LEVEL',
    value: 'level',
    about: `log level: ${LOG_LEVELS.join(', ')} (info)`,
    parse: (text) => oneOf(text ?? 'info', LOG_LEVELS),
  },
  logFormat: {
    env: 'SVC_LOG_FORMAT',
    value: 'format',
    about: 'log format: text, json, or auto: text on a terminal, json elsewhere (auto)',
    parse: (text) => oneOf(text ?? 'auto', ['auto', 'text', 'json'] as const),
  },
  logFile: {
    env: 'SVC_LOG_FILE',
    value: 'file',
    about: 'write everything to this file instead, as JSON, rotated at 5 MiB',
    parse: (text) => text,
  },
  backupSchedule: {
    env: 'SVC_BACKUP_SCHEDULE',
    value: 'times',
    about: 'when to back up: hourly, daily 03:00, weekly sunday 03:00 or off (the one of svc backup --schedule)',
    parse: (text) => (text === undefined ? undefined : parseBackupSchedule(text)),
    show: formatBackupSchedule,
  },
  backupKeep: {
    env: 'SVC_BACKUP_KEEP',
    value: 'count',
    about: 'how many scheduled backups stay (7)',
    parse: (text) => (text === undefined ? undefined : backupCount(text)),
  },
  backupDir: {
    env: 'SVC_BACKUP_DIR',
    value: 'folder',
    about: 'folder for scheduled backups (backups in the data folder)',
    parse: (text) => text,
  },
  updateCheck: {
    env: 'SVC_UPDATE_CHECK',
    value: 'choice',
    about: 'ask once a day whether there is a newer version: on or off (off)',
    parse: (text) => oneOf(text ?? 'off', ['on', 'off'] as const),
  },
  updateUrl: {
    env: 'SVC_UPDATE_URL',
    value: 'url',
    about: 'where to ask for the newest version (https://registry.npmjs.org/svc-memory/latest)',
    parse: (text) => urlOf(text ?? 'https://registry.npmjs.org/svc-memory/latest', ['https:', 'http:']),
    show: shownUrl,
  },
};
