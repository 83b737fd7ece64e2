import { stat } from 'node:fs/promises';
import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { ExportEnd } from '../../contract/portability.ts';
import type { CommandContext } from '../command-context.ts';
import { requireYes } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { type CommonOptions, openClient, PROFILE_OPTION, printJson, SPACE_OPTION } from '../memory/command-options.ts';
import { writeAtomically } from '../memory/export-file.ts';
import { describeCounts, pluralize } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { jsonFor } from '../output.ts';

interface ExportOptions extends CommonOptions {
  user?: string;
  force?: true;
}

const HELP = `
Writes a snapshot of the account, one JSON object per line: memories with
every version, conversations with their messages, episodes, and what retrieval
has learned for each user. svc import restores it exactly. The file appears only
once it is complete and is readable by you alone. Before it replaces a file it
asks, and without a terminal it refuses to without --force; an interrupted
export leaves the existing file untouched.

Examples:
  $ svc export account.ndjson
  $ svc export | gzip > account.ndjson.gz
  $ svc export --user ada | jq -r 'select(.type == "memory").content'`;

/** `svc export`: writes the whole account as NDJSON. */
export function exportCommand(context: CommandContext): Command {
  return new Command('export')
    .description('write the whole account to a file or to standard output')
    .argument('[file]', 'where to write; standard output if omitted or -')
    .option('--user <name>', 'only the data of one user')
    .option('--force', 'overwrite an existing file')
    .option('--json', 'with a file: print a JSON summary')
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, options: ExportOptions) => {
      const client = await openClient(context, options, { retries: 8 });
      if (file === undefined || file === '-') return exportToOutput(client, options, context);
      await requireReplaceable(file, options, context);
      const progress = createProgressLine(context, options);
      const written: { end?: ExportEnd } = {};
      const lines = exportLines(client, options, (count, end) => {
        progress.show(pluralize(count, 'line'));
        if (end) written.end = end;
      });
      await writeAtomically(file, lines).catch((error: NodeJS.ErrnoException) => {
        throw error.syscall ? new CommandFailure(EXIT.failed, `Cannot write ${file}: ${error.message}`) : error;
      });
      progress.clear();
      const { type: _, ...exported } = written.end!;
      if (options.json) printJson(context, { file, exported });
      else context.terminal.out(`Exported ${describeCounts(exported)} to ${file}.\n`);
    });
}

/** Throws `CommandFailure` if the file exists and is not to be replaced. A device or a pipe is written to. */
async function requireReplaceable(file: string, { force }: ExportOptions, { input }: CommandContext): Promise<void> {
  const found = force ? undefined : await stat(file).catch(() => undefined);
  if (!found?.isFile()) return;
  const question = `${file} already exists. Replace it?`;
  if (input.isTty) return requireYes(input, question, 'Nothing was changed.');
  const message = `${file} already exists. Choose another name, or replace it with --force.`;
  throw new CommandFailure(EXIT.failed, message);
}

async function exportToOutput(client: Client, options: ExportOptions, { terminal }: CommandContext): Promise<void> {
  for await (const line of exportLines(client, options)) {
    if (terminal.closed.aborted) return;
    terminal.out(jsonFor(terminal, line));
  }
}

async function* exportLines(
  client: Client,
  { user }: ExportOptions,
  onLine: (count: number, end: ExportEnd | undefined) => void = () => {},
): AsyncGenerator<string> {
  let count = 0;
  for await (const { text, end } of client.export(user === undefined ? {} : { user })) {
    yield text;
    count += 1;
    onLine(count, end);
  }
}
