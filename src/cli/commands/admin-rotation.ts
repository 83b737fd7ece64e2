import type { Command } from 'commander';
import type { RotationReport } from '../../daemon/key-rotation.ts';
import { requireYes } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import type { AdminContext } from './admin-context.ts';

const ROTATION_HELP = `
The master key wraps the data keys that encrypt account secrets, such as
provider keys. The daemon can keep running. If the master key is in the data
folder, a new one is generated. If it is in SVC_MASTER_KEY, set that to the new
key, a comma and the old one, restart the daemon, run this command, and then
remove the old key.

A backup needs the master key that was in use when it was made: keep the old key
as long as its backups.

Examples:
  $ svc admin rotate-master-key
  $ svc admin rotate-master-key --lost --yes`;

/** `svc admin rotate-master-key`. */
export function addRotationCommand(admin: Command, shared: AdminContext): void {
  admin
    .command('rotate-master-key')
    .description('change the master key while the daemon keeps running')
    .option('--lost', 'the old key is lost: erase what only it could decrypt, such as provider keys')
    .option('--yes', 'do not ask to confirm --lost')
    .addHelpText('after', ROTATION_HELP)
    .action(async ({ lost, yes }: { lost?: true; yes?: true }) => {
      const { rotateMasterKey } = await import('../../daemon/key-rotation.ts');
      const config = await shared.config();
      const context = await shared.context();
      if (lost && !yes) await confirmLost(context.input);
      const progress = createProgressLine(context, shared.json() ? { json: true } : {});
      try {
        const onProgress = (share: number) => progress.show('rewrapping the data keys', share);
        const report = await rotateMasterKey(config, { lost: lost === true, onProgress });
        progress.clear();
        shared.print(rotationText(report), report);
      } finally {
        progress.clear();
      }
    });
}

async function confirmLost(input: { isTty: boolean; ask(question: string): Promise<string> }): Promise<void> {
  const what = 'This erases the provider keys that only the lost master key can decrypt.';
  if (!input.isTty) throw new CommandFailure(EXIT.usage, `${what} Pass --yes to continue without asking.`);
  await requireYes(input, `${what} Continue?`, 'Nothing was changed.');
}

function rotationText({ rewrapped, lost, masterKeyId, kept }: RotationReport): string {
  const lines: string[] = [];
  if (rewrapped + lost === 0 && kept === 'SVC_MASTER_KEY') {
    lines.push(`Nothing to do: the first key in SVC_MASTER_KEY (${masterKeyId}) wraps everything.`);
    lines.push(
      'To change it, set SVC_MASTER_KEY to the new key, a comma and this one, and start the daemon with that.',
    );
    return lines.join('\n');
  }
  lines.push(`The master key is now ${masterKeyId}: ${pluralize(rewrapped, 'data key')} rewrapped.`);
  if (lost > 0)
    lines.push(`${pluralize(lost, 'data key')} of a lost master key erased, with everything they encrypted.`);
  lines.push(
    kept === 'SVC_MASTER_KEY'
      ? 'Remove the old key from SVC_MASTER_KEY now.'
      : 'It is in master.key in the data folder, where it replaced the old one.',
    'Earlier backups need the old key: make a new backup.',
  );
  return lines.join('\n');
}
