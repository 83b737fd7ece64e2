import { Command, Option } from 'commander';
import { IMPORT_FORMATS, type ImportFormat } from '../../contract/import-formats.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  collect,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
} from '../memory/command-options.ts';
import { formatImportReport } from '../memory/import-report.ts';
import { importSource } from '../memory/import-source.ts';
import { quotaResetTime, uploadImport } from '../memory/import-upload.ts';
import { createProgressLine, type ProgressLine } from '../memory/progress-line.ts';
import { formatBytes } from '../number-format.ts';

interface ImportOptions extends CommonOptions {
  format: ImportFormat;
  user?: string;
  tag?: string[];
  wait?: true;
}

const HELP = `
What svc export wrote comes back as it was: ids, versions and chains of superseded memories included. Other lines are
JSON objects with content and, if you like, user, tags, metadata, occurredAt, expiresAt, source and supersedes; with
--format lines each line is the text of a memory. The other formats are files of other systems, as those export them;
basic-memory also takes a folder of notes. Running it again adds nothing twice, so that is the way to go on after an
interruption.

Examples:
  $ svc import account.ndjson
  $ svc import notes.txt --format lines --tag notes
  $ svc import conversations.json --format chatgpt
  $ jq -c '.[]' other.json | svc import - --json`;

/** `svc import`: an account, or another system's memories, from a file, a folder or a pipe. */
export function importCommand(context: CommandContext): Command {
  return new Command('import')
    .description('bring in an export, or the file of another system')
    .argument('<file>', 'what to read; - reads standard input')
    .addOption(new Option('--format <format>', 'what the file is').choices([...IMPORT_FORMATS]).default('svc'))
    .option('--user <name>', 'whose things, where the file does not say')
    .option('--tag <tag>', 'a label for all memories; may be repeated', collect)
    .option('--wait', 'where a quota is used up, wait until it is given anew')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => {
      const { format, user, tag, wait } = options;
      const source = await importSource(file, format, context.input);
      if (wait && !source.repeatable)
        throw new CommandFailure(EXIT.usage, `--wait needs a file: ${file} is read once.`);
      const progress = createProgressLine(context, options);
      const client = await openClient(context, options);
      const sent = await uploadImport({
        client,
        source,
        options: { format, ...(user !== undefined && { user }), ...(tag && { tags: [...new Set(tag)] }) },
        clock: context.clock,
        waitForQuota: wait === true,
        onProgress: (bytes) => {
          const share = source.bytes === undefined ? undefined : Math.min(1, bytes / Math.max(1, source.bytes));
          progress.show(`${formatBytes(bytes)} sent`, share);
        },
        onWait: (text) => {
          progress.clear();
          context.terminal.error(`${text}\n`);
        },
      });
      finish(sent, options, progress, context);
    });
}

/** Reports what was done, also where it came to an early end; that end is told after it. */
function finish(
  { report, ended }: Awaited<ReturnType<typeof uploadImport>>,
  options: ImportOptions,
  progress: ProgressLine,
  context: CommandContext,
): void {
  progress.clear();
  const resetsAt = ended && quotaResetTime(ended);
  const stopped = ended === undefined ? null : { message: ended.message, ...(resetsAt !== undefined && { resetsAt }) };
  if (options.json) printJson(context, { ...report, stopped });
  else context.terminal.out(`${formatImportReport(ended ? { ...report, complete: true } : report)}\n`);
  if (resetsAt !== undefined) {
    const advice = 'Run the same command again then (or with --wait now): nothing is added twice.';
    throw new CommandFailure(EXIT.failed, `${ended!.message}\n${advice}`);
  }
  if (ended !== undefined) throw ended;
  if (!report.complete || report.reasons.some(({ fault }) => fault)) throw new CommandFailure(EXIT.failed);
}
