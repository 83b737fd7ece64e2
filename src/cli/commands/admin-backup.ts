import type { Command } from 'commander';
import type { BackupReport, ProgressOptions, RestoreReport } from '../../daemon/backup.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import type { AdminContext } from './admin-context.ts';

const BACKUP_HELP = `
The daemon may go on serving and writing: everything that was answered before this command began is in the file, and
nothing that was erased. The file takes its name once it is whole and checked. It is readable by you alone.

Examples:
  $ svc admin backup /backups/svc-$(date +%F).db
  $ svc admin backup /backups/svc.db --force --json`;

const RESTORE_HELP = `
Stop the daemon first. The file is checked before anything is touched; the database that was there is kept beside the
new one. A backup of an older svc is brought up to date.

Examples:
  $ svc admin restore /backups/svc-2026-11-20.db
  $ svc admin restore /backups/svc.db --yes --data-dir /var/lib/svc`;

/** `svc admin backup` and `svc admin restore`. */
export function addBackupCommands(admin: Command, parts: AdminContext): void {
  const { config, print: say } = parts;
  admin
    .command('backup')
    .description('copy the database into a file, while the daemon goes on')
    .argument('<file>', 'where to write')
    .option('--force', 'replace the file where it is there')
    .addHelpText('after', BACKUP_HELP)
    .action(async (file: string, { force }: { force?: true }) => {
      const { backUp } = await import('../../daemon/backup.ts');
      const settings = await config();
      const report = await watched('copying the database', parts, (watching) =>
        backUp(settings, file, { ...watching, force: force === true }),
      );
      say(backupText(report), { ...report, masterKeyIncluded: false, masterKeyFile: report.masterKeyFile ?? null });
    });
  admin
    .command('restore')
    .description('put a backup in the place of the database; the daemon must be stopped')
    .argument('<file>', 'what svc admin backup wrote')
    .option('--yes', 'do not ask, where accounts would be replaced')
    .addHelpText('after', RESTORE_HELP)
    .action(async (file: string, { yes }: { yes?: true }) => {
      const { restore } = await import('../../daemon/backup.ts');
      const settings = await config();
      const context = await parts.context();
      const confirm = (accounts: number | undefined) => confirmed(accounts, yes === true, context);
      const report = await watched('copying the backup', parts, (watching) =>
        restore(settings, file, { ...watching, confirm }),
      );
      const { former = null, missingMasterKey = null } = report;
      say(restoreText(report), { ...report, former, missingMasterKey });
    });
}

/** Runs long work with a progress line; Ctrl-C ends it with nothing left behind. */
async function watched<T>(
  what: string,
  { context, json }: AdminContext,
  work: (watching: ProgressOptions) => Promise<T>,
): Promise<T> {
  const loaded = await context();
  const stop = new AbortController();
  void loaded
    .stopSignal()
    .then(() => stop.abort(new CommandFailure(EXIT_INTERRUPTED, 'Stopped. Nothing was changed.')));
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

async function confirmed(accounts: number | undefined, yes: boolean, { input }: CommandContext): Promise<void> {
  if (yes) return;
  const what =
    accounts === undefined
      ? 'There is a database that cannot be read.'
      : `There is a database with ${pluralize(accounts, 'account')}.`;
  if (!input.isTty) throw new CommandFailure(EXIT.usage, `${what} To replace it without a question give --yes.`);
  const answer = await input.ask(`${what} Replace it by the backup? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure(EXIT.failed, 'Nothing was changed.');
}

function backupText({ file, bytes, schema, accounts, masterKeyFile }: BackupReport): string {
  const key = masterKeyFile === undefined ? 'SVC_MASTER_KEY' : masterKeyFile;
  return [
    `Backed up to ${file}: ${pluralize(accounts, 'account')}, ${(bytes / 1024 / 1024).toFixed(1)} MiB, schema ${schema}.`,
    `The master key is not in it. What is sealed with it opens only with that key: keep ${key} too,`,
    'in another place than the backup.',
  ].join('\n');
}

function keyText(name: string): string[] {
  return [
    '',
    `It will not start without the master key named ${name}, which was in force then and is not here.`,
    'Put that into SVC_MASTER_KEY or master.key; if it is lost: svc admin rotate-master-key --lost.',
  ];
}

function restoreText({ database, accounts, former, missingMasterKey }: RestoreReport): string {
  const lines = [
    `Restored ${database}: ${pluralize(accounts, 'account')}. Start the daemon again.`,
    ...(missingMasterKey === undefined ? [] : keyText(missingMasterKey)),
    '',
    'All is as it was when the backup was made:',
    '- Keys too: a key that was replaced or invalidated since then works again, and the newer one does not.',
    '  Who must not have an old key signs in anew.',
    '- What was erased since then is there again. Erase it anew.',
  ];
  if (former !== undefined) {
    lines.push('', `The database that was there is kept as ${former}.`, 'Remove it once you need it no more.');
  }
  return lines.join('\n');
}
