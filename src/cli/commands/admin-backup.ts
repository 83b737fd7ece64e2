import type { Command } from 'commander';
import type { BackupReport, ProgressOptions, RestoreReport } from '../../daemon/backup.ts';
import type { CommandContext } from '../command-context.ts';
import { requireYes } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import type { AdminContext } from './admin-context.ts';

const BACKUP_HELP = `
The daemon can keep running: the backup contains every write acknowledged before
this command began, and nothing that was erased by then. The file appears only
once it is complete and checked, and is readable by you alone.

Examples:
  $ svc admin backup /backups/svc-$(date +%F).db
  $ svc admin backup /backups/svc.db --force --json`;

const RESTORE_HELP = `
Stop the daemon first. The backup is checked before anything is changed, and the
existing database is kept beside the restored one. A backup made by an older
version of svc is migrated.

Examples:
  $ svc admin restore /backups/svc-2026-11-20.db
  $ svc admin restore /backups/svc.db --yes --data-dir /var/lib/svc`;

/** `svc admin backup` and `svc admin restore`. */
export function addBackupCommands(admin: Command, shared: AdminContext): void {
  const { config, print } = shared;
  admin
    .command('backup')
    .description('copy the database to a file while the daemon keeps running')
    .argument('<file>', 'the file to write')
    .option('--force', 'overwrite an existing file')
    .addHelpText('after', BACKUP_HELP)
    .action(async (file: string, { force }: { force?: true }) => {
      const { backUp } = await import('../../daemon/backup.ts');
      const settings = await config();
      const report = await withProgress('copying the database', shared, (progress) =>
        backUp(settings, file, { ...progress, force: force === true }),
      );
      print(backupText(report), { ...report, masterKeyIncluded: false, masterKeyFile: report.masterKeyFile ?? null });
    });
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
