import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { type CommonOptions, openClient, PROFILE_OPTION, printJson } from '../memory/command-options.ts';
import { writeWhole } from '../memory/export-file.ts';
import { countOf } from '../memory/import-report.ts';
import { createProgressLine } from '../memory/progress-line.ts';

interface ExportOptions extends CommonOptions {
  user?: string;
}

const HELP = `
One JSON object a line, newest first, superseded memories included. A file is written beside and put in place at the end,
readable by you alone; an interrupted export leaves the former file as it was.

Examples:
  $ svc export memories.ndjson
  $ svc export | gzip > memories.ndjson.gz
  $ svc export --user ada | jq -r .content`;

/** `svc export`: all memories of the account as NDJSON. */
export function exportCommand(context: CommandContext): Command {
  return new Command('export')
    .description('write all memories to a file or to standard output')
    .argument('[file]', 'where to write; without it, or with -, standard output')
    .option('--user <name>', 'only the memories of one of the people served')
    .option('--json', 'print JSON about what was written (with a file)')
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, options: ExportOptions) => {
      const client = await openClient(context, options, { retries: 8 });
      if (file === undefined || file === '-') return exportToOutput(client, options, context);
      const progress = createProgressLine(context, options);
      let exported = 0;
      const count = () => {
        exported += 1;
        progress.show(countOf(exported, 'memory', 'memories'));
      };
      await writeWhole(file, ndjson(client, options, count)).catch((error: NodeJS.ErrnoException) => {
        throw error.syscall ? new CommandFailure(EXIT.failed, `${file} cannot be written: ${error.message}`) : error;
      });
      progress.clear();
      if (options.json) printJson(context, { file, exported });
      else context.terminal.out(`Exported ${countOf(exported, 'memory', 'memories')} to ${file}.\n`);
    });
}

async function exportToOutput(client: Client, options: ExportOptions, { terminal }: CommandContext): Promise<void> {
  for await (const line of ndjson(client, options)) {
    if (terminal.closed.aborted) return;
    terminal.out(line);
  }
}

async function* ndjson(client: Client, { user }: ExportOptions, count = () => {}): AsyncGenerator<string> {
  const query = { includeSuperseded: true, ...(user !== undefined && { user }) };
  for await (const memory of client.memories.all(query)) {
    yield `${JSON.stringify(memory)}\n`;
    count();
  }
}
