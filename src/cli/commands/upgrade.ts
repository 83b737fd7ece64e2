import { Command } from 'commander';
import { JSON_OPTION, parseCount } from '../memory/command-options.ts';
import type { ServiceContext } from '../service/context.ts';
import { DATA_DIR_OPTION } from './admin-context.ts';
import { type UpgradeOptions, upgrade } from './upgrade-run.ts';

const HELP = `
For an svc that install.sh installed; otherwise it says which command upgrades.
A release is a folder or an address with archives and their SHA256SUMS. The
service is stopped while the database is backed up and the new version migrates
it. If the new daemon does not become ready, the old version and the backup are
put back. After an interruption, run it again.

Examples:
  $ svc upgrade
  $ svc upgrade --dry-run
  $ svc upgrade ./release
  $ svc upgrade https://github.com/svc-memory/svc/releases/download/v0.2.0
  $ svc upgrade --rollback`;

const DEFAULT_TIMEOUT_SECONDS = 600;

/** `svc upgrade`: replaces the installed program by a newer one, with a way back. */
export function upgradeCommand(context: ServiceContext): Command {
  return new Command('upgrade')
    .description('install a newer svc, migrate the database and restart the service')
    .argument('[release]', 'folder or address of a release (the latest one) [SVC_DOWNLOAD_URL]')
    .option('--rollback', 'go back to the version from before the last upgrade')
    .option('--yes', 'with --rollback: put the backup back although memories were stored since')
    .option('--dry-run', 'show what it would do')
    .option('--no-backup', 'for a database of PostgreSQL, which you have backed up')
    .option(
      '--timeout <seconds>',
      'how long the new daemon may take to become ready',
      parseCount,
      DEFAULT_TIMEOUT_SECONDS,
    )
    .option('--system', "the system's service instead of yours (systemd, as root)")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action((release: string | undefined, options: UpgradeOptions) => upgrade(release, options, context));
}
