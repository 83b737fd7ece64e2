import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Command, Option } from 'commander';
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
import { createLineReader, type ImportFormat } from '../memory/import-lines.ts';
import { countOf, importReport } from '../memory/import-report.ts';
import { type ImportRun, runImport } from '../memory/import-run.ts';
import { QuotaStop } from '../memory/import-sending.ts';
import { createProgressLine, type ProgressLine } from '../memory/progress-line.ts';

interface ImportOptions extends CommonOptions {
  format: ImportFormat;
  user?: string;
  tag?: string[];
  wait?: true;
}

const HELP = `
Each line is a JSON object with content and, if you like, user, tags, metadata, occurredAt, expiresAt, source and
supersedes; what svc export wrote fits as it is. With --format lines each line is the text of a memory. Running it again
adds nothing twice, so that is the way to go on after an interruption.

Examples:
  $ svc import memories.ndjson
  $ svc import notes.txt --format lines --tag notes
  $ jq -c '.[]' other.json | svc import - --json`;

/** `svc import`: many memories from a file or a pipe, in batches. */
export function importCommand(context: CommandContext): Command {
  return new Command('import')
    .description('add many memories from a file')
    .argument('<file>', 'what to read; - reads standard input')
    .addOption(new Option('--format <format>', 'what a line is').choices(['ndjson', 'lines']).default('ndjson'))
    .option('--user <name>', 'whose memories, where a line does not say')
    .option('--tag <tag>', 'a label for all of them; may be repeated', collect)
    .option('--wait', 'where a quota is used up, wait until it is given anew')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => {
      const { stream, bytes } = await openFile(file, context);
      const progress = createProgressLine(context, options);
      const client = await openClient(context, options, {
        retries: 8,
        onWait: (waitMs, { message }) => progress.show(`waiting ${Math.ceil(waitMs / 1000)} s: ${message}`),
      });
      const { checkMemory } = await import('../memory/import-check.ts');
      const defaults = { user: options.user, tags: options.tag };
      const run: ImportRun = {
        client,
        stream,
        readLine: createLineReader(options.format, defaults, checkMemory, context.clock.nowMs()),
        clock: context.clock,
        waitForQuota: options.wait === true,
        onProgress: ({ added, known, skipped }, bytesRead) => {
          const told = `${countOf(added, 'memory', 'memories')} · ${known} known · ${skipped.length} skipped`;
          progress.show(told, bytes === undefined ? undefined : Math.min(1, bytesRead / bytes));
        },
        onQuotaWait: (text) => context.terminal.error(`${text}\n`),
      };
      await finish(run, options, progress, context);
    });
}

/** Reports what was done, also where it came to an early end; that end is told after it. */
async function finish(
  run: ImportRun,
  options: ImportOptions,
  progress: ProgressLine,
  context: CommandContext,
): Promise<void> {
  const { tally, ended } = await runImport(run);
  progress.clear();
  const stopped = ended === undefined ? null : { message: ended.message, ...quotaReset(ended) };
  if (options.json) printJson(context, { ...tally, stopped });
  else context.terminal.out(`${importReport(tally)}\n`);
  if (ended instanceof QuotaStop) {
    const advice = 'Run the same command again then (or with --wait now): nothing is added twice.';
    throw new CommandFailure(EXIT.failed, `${ended.message}\n${advice}`);
  }
  if (ended !== undefined) throw ended;
  if (tally.skipped.some(({ fault }) => fault)) throw new CommandFailure(EXIT.failed);
}

function quotaReset(ended: Error): { resetsAt?: string } {
  return ended instanceof QuotaStop && ended.resetsAt !== undefined ? { resetsAt: ended.resetsAt } : {};
}

async function openFile(
  file: string,
  { input }: CommandContext,
): Promise<{ stream: AsyncIterable<Uint8Array>; bytes?: number }> {
  if (file === '-') return { stream: input.stream };
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error('it is a folder');
    return { stream: createReadStream(file), ...(found.isFile() && { bytes: found.size }) };
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `${file} cannot be read: ${(error as Error).message}`);
  }
}
