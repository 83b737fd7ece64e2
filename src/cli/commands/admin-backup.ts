import { join } from 'node:path';
import { Command } from 'commander';
import type { BackupReport, ProgressOptions, RestoreReport } from '../../daemon/backup.ts';
import { backupName } from '../../daemon/backup-folder.ts';
import { readBackupPlan } from '../../daemon/backup-plan.ts';
import type { Config } from '../../daemon/config-settings.ts';
import { requireFile } from '../../daemon/database-location.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import type { CommandContext, Terminal } from '../command-context.ts';
import { requireYes } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { JSON_OPTION, parseCount } from '../memory/command-options.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { type AdminContext, createAdminContext, DATA_DIR_OPTION } from './admin-context.ts';
import { type ScheduleOptions, scheduleBackups } from './admin-schedule.ts';

const BACKUP_HELP = `
The daemon can keep running: the backup contains every write acknowledged before
this command began, and nothing that was erased by then. The file appears only
once it is complete and checked, and is readable by you alone. Without a file it
goes to the folder for scheduled backups.

With --schedule the daemon makes backups, in local time, and deletes old ones;
after a time when it did not run, it makes up for the last. Alone, --schedule
shows what is scheduled.

Examples:
  $ svc backup /backups/svc-$(date +%F).db
  $ svc backup --schedule "daily 03:00" --keep 14 --to /backups
  $ svc backup --schedule off`;

const RESTORE_HELP = `
Stop the daemon first. The backup is checked before anything is changed, and the
existing database is kept beside the restored one. A backup made by an older
version of svc is migrated.

Examples:
  $ svc admin restore /backups/svc-2026-11-20.db
  $ svc admin restore /backups/svc.db --yes --data-dir /var/lib/svc`;

/** `svc backup`: a shorter name of `svc admin backup`. */
export function backupCommand(terminal: Terminal, context: () => Promise<CommandContext>): Command {
  const command = new Command('backup').option(...DATA_DIR_OPTION).option(...JSON_OPTION);
  return configureBackup(command, createAdminContext(command, terminal, context));
}

/** `svc admin backup` and `svc admin restore`. */
export function addBackupCommands(admin: Command, shared: AdminContext): void {
  const { config, print } = shared;
  configureBackup(admin.command('backup'), shared);
  admin
    .command('restore')
    .description('replace the database with a backup; the daemon must be stopped')
    .argument('<file>', 'a file written by svc admin backup')
    .option('--yes', 'replace existing accounts without asking')
    .addHelpText('after', RESTORE_HELP)
    .action(async (file: string, { yes }: { yes?: true }) => {
      const { restore } = await import('../../daemon/backup.ts');
      const settings = await config();
      const context = await shared.context();
      const confirm = (accounts: number | undefined) => confirmReplacement(accounts, yes === true, context);
      const report = await withProgress('copying the backup', shared, (progress) =>
        restore(settings, file, { ...progress, confirm }),
      );
      const { former = null, missingMasterKey = null } = report;
      print(restoreText(report), { ...report, former, missingMasterKey });
    });
}

interface BackupOptions extends Partial<ScheduleOptions> {
  force?: true;
}

function configureBackup(command: Command, shared: AdminContext): Command {
  return command
    .description('copy the database to a file while the daemon keeps running, or schedule that')
    .argument('[file]', 'the file to write')
    .option('--force', 'overwrite an existing file')
    .option('--schedule [times]', 'let the daemon do it: hourly, "daily 03:00", "weekly sunday 03:00" or off')
    .option('--keep <count>', 'with --schedule: how many backups stay (7)', parseCount)
    .option('--to <folder>', 'with --schedule: their folder (backups in the data folder)')
    .addHelpText('after', BACKUP_HELP)
    .action(async (file: string | undefined, options: BackupOptions) => {
      const { schedule, keep, to, force } = options;
      if (schedule !== undefined) {
        if (file !== undefined || force) command.error('error: --schedule excludes a file and --force');
        return scheduleBackups({ ...options, schedule }, shared);
      }
      if (keep !== undefined || to !== undefined) command.error('error: --keep and --to require --schedule');
      return makeBackup(file, force === true, shared);
    });
}

async function makeBackup(file: string | undefined, force: boolean, shared: AdminContext): Promise<void> {
  const { backUp } = await import('../../daemon/backup.ts');
  const settings = await shared.config();
  const target = file ?? (await nextScheduledFile(settings, (await shared.context()).clock.nowMs()));
  const report = await withProgress('copying the database', shared, (progress) =>
    backUp(settings, target, { ...progress, force }),
  );
  const data = { ...report, masterKeyIncluded: false, masterKeyFile: report.masterKeyFile ?? null };
  shared.print(backupText(report), data);
}

/** The file that a scheduled backup would be now. */
async function nextScheduledFile(settings: Config, nowMs: number): Promise<string> {
  requireFile(settings);
  const { folder } = await readBackupPlan(settings);
  await makeFolder(folder);
  return join(folder, backupName(nowMs));
}

/** Runs long work with a progress line; Ctrl-C cancels it and leaves nothing behind. */
async function withProgress<T>(
  what: string,
  { context, json }: AdminContext,
  work: (progress: ProgressOptions) => Promise<T>,
): Promise<T> {
  const loaded = await context();
  const stop = new AbortController();
  void loaded
    .stopSignal()
    .then(() => stop.abort(new CommandFailure(EXIT_INTERRUPTED, 'Canceled. Nothing was changed.')));
  const progress = createProgressLine(loaded, json() ? { json: true } : {});
  try {
    return await work({
      signal: stop.signal,
      onProgress(share) {
        if (share < 1) return progress.show(what, share);
        progress.clear();
        progress.show('checking');
      },
    });
  } finally {
    progress.clear();
  }
}

async function confirmReplacement(
  accounts: number | undefined,
  yes: boolean,
  { input }: CommandContext,
): Promise<void> {
  if (yes) return;
  const what =
    accounts === undefined
      ? 'The existing database cannot be read.'
      : `A database with ${pluralize(accounts, 'account')} already exists.`;
  if (!input.isTty) throw new CommandFailure(EXIT.usage, `${what} Pass --yes to replace it without asking.`);
  await requireYes(input, `${what} Replace it with the backup?`, 'Nothing was changed.');
}

function backupText({ file, bytes, schema, accounts, masterKeyFile }: BackupReport): string {
  const key = masterKeyFile === undefined ? 'SVC_MASTER_KEY' : masterKeyFile;
  return [
    `Backed up to ${file}: ${pluralize(accounts, 'account')}, ${(bytes / 1024 / 1024).toFixed(1)} MiB, schema ${schema}.`,
    `The master key is not in it, and encrypted data cannot be read without that key:`,
    `keep a copy of ${key} in a different place than the backup.`,
  ].join('\n');
}

function keyText(name: string): string[] {
  return [
    '',
    `It will not start without the master key ${name}, which was in use then and is missing here.`,
    'Put it in SVC_MASTER_KEY or master.key. If it is lost, run svc admin rotate-master-key --lost.',
  ];
}

function restoreText({ database, accounts, former, missingMasterKey }: RestoreReport): string {
  const lines = [
    `Restored ${database}: ${pluralize(accounts, 'account')}. Start the daemon again.`,
    ...(missingMasterKey === undefined ? [] : keyText(missingMasterKey)),
    '',
    'Everything is as it was when the backup was made:',
    '- A key that was replaced or revoked since then works again, and the newer one does not.',
    '  To revoke the old key again, sign in to that account.',
    '- Data that was erased since then is back. Erase it again.',
  ];
  if (former !== undefined) {
    lines.push('', `The previous database was kept as ${former}.`, 'Delete it when you no longer need it.');
  }
  return lines.join('\n');
}
