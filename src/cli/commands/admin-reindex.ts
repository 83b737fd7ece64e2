import type { Command } from 'commander';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import type { AdminContext } from './admin-context.ts';

const REINDEX_HELP = `
Stop the daemon first. What is stored is not changed. If the command is
interrupted, the next start of the daemon finishes it.

Examples:
  $ svc admin reindex
  $ svc admin reindex --data-dir /var/lib/svc`;

/** `svc admin reindex`. */
export function addReindexCommand(admin: Command, shared: AdminContext): void {
  admin
    .command('reindex')
    .description('make the search index anew from what is stored; the daemon must be stopped')
    .addHelpText('after', REINDEX_HELP)
    .action(async () => {
      const { reindex } = await import('../../daemon/reindex.ts');
      const config = await shared.config();
      const context = await shared.context();
      const stop = new AbortController();
      const canceled = 'Interrupted. The next start of the daemon indexes the rest.';
      void context.stopSignal().then(() => stop.abort(new CommandFailure(EXIT_INTERRUPTED, canceled)));
      const progress = createProgressLine(context, shared.json() ? { json: true } : {});
      const onProgress = (stage: string, share: number) => progress.show(stage, share);
      const texts = await reindex(config, { onProgress, signal: stop.signal }).finally(() => progress.clear());
      shared.print(`Indexed ${pluralize(texts, 'text')}. Start the daemon again.`, { texts });
    });
}
