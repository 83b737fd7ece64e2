import { Command, Option } from 'commander';
import { sleep } from '../../client/retries.ts';
import { IMPORT_FORMATS, type ImportFormat } from '../../contract/import-formats.ts';
import { systemRandom } from '../../lib/random.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED, toFailure } from '../failure.ts';
import {
  type CommonOptions,
  collect,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { formatImportReport } from '../memory/import-report.ts';
import { importSource } from '../memory/import-source.ts';
import { quotaResetTime, retryTimeMs, uploadImport } from '../memory/import-upload.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { formatTimeWithDate } from '../memory/relative-time.ts';
import { wrap } from '../memory/terminal-text.ts';
import { formatBytes } from '../number-format.ts';

interface ImportOptions extends CommonOptions {
  format: ImportFormat;
  user?: string;
  tag?: string[];
  wait?: true;
}

const HELP = `
An export made by svc is restored exactly: ids, versions and chains of
superseded memories included. Any other line is a JSON object with content and,
optionally, user, tags, metadata, occurredAt, expiresAt, source and supersedes.
With --format lines, each line is the text of one memory. The other formats are
the export files of other systems; basic-memory also accepts a folder of notes.
Nothing is added twice: after an interruption, run the same command again. The
daemon still adds what it had received until then.

Examples:
  $ svc import account.ndjson
  $ svc import notes.txt --format lines --tag notes
  $ svc import conversations.json --format chatgpt
  $ jq -c '.[]' other.json | svc import - --json`;

const INTERRUPTED = [
  'Interrupted. The daemon still adds what it has already received.',
  'Run the same command again to continue: it waits for that, and nothing is added twice.',
].join('\n');

/** `svc import`: imports an account, or another system's memories, from a file, a folder or a pipe. */
export function importCommand(context: CommandContext): Command {
  return new Command('import')
    .description("import an svc export or another system's file")
    .argument('<file>', 'what to read; - reads standard input')
    .addOption(new Option('--format <format>', 'the format of the file').choices([...IMPORT_FORMATS]).default('svc'))
    .option('--user <name>', 'whose data, where the file does not say')
    .option('--tag <tag>', 'add this tag to every memory; repeatable', collect)
    .option('--wait', 'when a quota is used up, wait until it resets')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => {
      const { format, user, tag, wait } = options;
      const source = await importSource(file, format, context.input);
      if (wait && !source.repeatable)
        throw new CommandFailure(EXIT.usage, `--wait needs a file: ${file} can be read only once.`);
      const progress = createProgressLine(context, options);
      const stop = new AbortController();
      const signal = AbortSignal.any([stop.signal, context.terminal.closed]);
      const client = await openClient(context, options, { signal });
      void context.stopSignal().then(() => stop.abort(new CommandFailure(EXIT_INTERRUPTED, INTERRUPTED)));
      const sent = await uploadImport({
        client,
        source,
        options: { format, ...(user !== undefined && { user }), ...(tag && { tags: [...new Set(tag)] }) },
        clock: context.clock,
        random: systemRandom,
        waitForQuota: wait === true,
        sleep: (ms) => sleep(ms, signal),
        onProgress: (bytes) => {
          const share = source.bytes === undefined ? undefined : Math.min(1, bytes / Math.max(1, source.bytes));
          progress.show(`${formatBytes(bytes)} sent`, share);
        },
        onWait: (text) => {
          progress.clear();
          context.terminal.error(`${text}\n`);
        },
      }).finally(() => progress.clear());
      // Of an attempt that was interrupted there is no report.
      if (stop.signal.aborted) throw stop.signal.reason;
      finish(sent, options, context);
    });
}

/** Reports what was imported, even after a failure, which is then thrown. */
function finish(
  { report, error }: Awaited<ReturnType<typeof uploadImport>>,
  options: ImportOptions,
  context: CommandContext,
): void {
  const resetsAt = error && quotaResetTime(error);
  const stopped = error === undefined ? null : { message: error.message, ...(resetsAt !== undefined && { resetsAt }) };
  if (options.json) printJson(context, { ...report, stopped });
  else context.terminal.out(`${formatImportReport(error ? { ...report, complete: true } : report)}\n`);
  if (error !== undefined) throw withAdvice(error, context);
  if (!report.complete || report.reasons.some(({ fault }) => fault)) throw new CommandFailure(EXIT.failed);
}

/** Adds to an error when the import can go on, if that is known. */
function withAdvice(error: Error, { terminal, clock }: CommandContext): Error {
  const failure = toFailure(error);
  if (failure === undefined) return error;
  const again = 'Run the same command again after that';
  const retryMs = retryTimeMs(error, clock.nowMs());
  const advice =
    quotaResetTime(error) !== undefined
      ? `${again}, or now with --wait: nothing is added twice. The operator of the daemon raises the limit: svc admin tier EMAIL Pro`
      : retryMs === undefined
        ? undefined
        : `It accepts imports again ${formatTimeWithDate(retryMs, clock.nowMs())}. ${again}: nothing is added twice.`;
  if (advice === undefined) return error;
  // Each line begins with the program's name.
  const lines = [failure.message, advice].flatMap((text) => wrap(text, terminal.columns - 'svc: '.length));
  return new CommandFailure(failure.exitCode, lines.join('\n'));
}
