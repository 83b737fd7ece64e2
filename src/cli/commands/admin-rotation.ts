import type { Command } from 'commander';
import type { RotationReport } from '../../daemon/key-rotation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import type { AdminContext } from './admin-context.ts';

const ROTATION_HELP = `
The master key wraps the keys that seal what accounts keep secret, such as their provider keys. The daemon may go on
serving. Where the master key is in the data folder, a new one is made. Where it is in SVC_MASTER_KEY, set that to the
new key, a comma and the old one, start the daemon again with it, run this, and then take the old one out.
A backup needs the master key that was in force when it was made: keep the old one as long as its backups.

Examples:
  $ svc admin rotate-master-key
  $ svc admin rotate-master-key --lost --yes`;

/** `svc admin rotate-master-key`. */
export function addRotationCommand(admin: Command, parts: AdminContext): void {
  admin
    .command('rotate-master-key')
    .description('change the master key, while the daemon goes on')
    .option('--lost', 'give up what only a lost master key opens: provider keys have to be entered again')
    .option('--yes', 'do not ask about --lost')
    .addHelpText('after', ROTATION_HELP)
    .action(async ({ lost, yes }: { lost?: true; yes?: true }) => {
      const { rotateMasterKey } = await import('../../daemon/key-rotation.ts');
      const config = await parts.config();
      const context = await parts.context();
      if (lost && !yes) await confirmed(context.input);
      const progress = createProgressLine(context, parts.json() ? { json: true } : {});
      try {
        const onProgress = (share: number) => progress.show('wrapping the keys again', share);
        const report = await rotateMasterKey(config, { lost: lost === true, onProgress });
        progress.clear();
        parts.print(rotationText(report), report);
      } finally {
        progress.clear();
      }
    });
}

async function confirmed(input: { isTty: boolean; ask(question: string): Promise<string> }): Promise<void> {
  const what = 'Provider keys that only the lost master key opens are erased.';
  if (!input.isTty) throw new CommandFailure(EXIT.usage, `${what} To do so without a question give --yes.`);
  const answer = await input.ask(`${what} Go on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure(EXIT.failed, 'Nothing was changed.');
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
  lines.push(`The master key ${masterKeyId} is in force: it wraps ${pluralize(rewrapped, 'data key')} anew.`);
  if (lost > 0) lines.push(`${pluralize(lost, 'data key')} of a lost master key given up, with all that they sealed.`);
  lines.push(
    kept === 'SVC_MASTER_KEY'
      ? 'Take the old key out of SVC_MASTER_KEY now.'
      : 'It is in master.key of the data folder; the old one is gone from there.',
    'Backups made before need the old one: back up anew.',
  );
  return lines.join('\n');
}
