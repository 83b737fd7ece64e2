import { Command, Option } from 'commander';
import type { EntryChoice, McpConfigContext } from '../assistants/wanted-entry.ts';
import { createOutput } from '../output.ts';
import { profileOption } from '../sign-in/profile-choice.ts';

interface McpConfigOptions extends EntryChoice {
  print?: true;
  list?: true;
  remove?: true;
  dryRun?: true;
  showKey?: true;
  yes?: true;
  json?: true;
}

const HELP = `
It finds the assistants on this machine and writes an entry named svc into each one's own file. Comments, order and
other servers stay as they are, a backup lies beside the file, and a file that cannot be read is left alone. By default
the assistant starts the bridge (svc mcp), which takes the key from the keychain; with --transport http the address and
the key are written, and the file is yours alone to read.

Assistants: claude-code, claude-desktop, codex, cursor, vscode, windsurf, zed, gemini, copilot, cline, continue, goose,
opencode, lm-studio, kiro, warp, junie.

Examples:
  $ svc mcp-config                                      choose from those on this machine
  $ svc mcp-config claude-code codex                    these two
  $ svc mcp-config cursor --transport http --dry-run    see what would change
  $ svc mcp-config claude-code --scope project          for everybody who works in this folder
  $ svc mcp-config gemini --print                       the entry, to be copied
  $ svc mcp-config --list                               where svc is set up, and whether the key is the current one
  $ svc mcp-config --remove --yes                       take svc out of all of them`;

/** `svc mcp-config`: svc in the configuration of assistants. */
export function mcpConfigCommand(context: McpConfigContext): Command {
  return new Command('mcp-config')
    .description('set up the AI assistants on this machine')
    .argument('[client...]', 'assistants to set up, installed or not')
    .addOption(
      new Option('--transport <kind>', 'how the assistant reaches svc').choices(['stdio', 'http']).default('stdio'),
    )
    .addOption(
      new Option('--key-from <where>', 'with http: write the key, or have it read from SVC_API_KEY').choices([
        'literal',
        'env',
      ]),
    )
    .addOption(
      new Option('--scope <scope>', "your own file or this folder's").choices(['user', 'project']).default('user'),
    )
    .addOption(profileOption('the account to use, where there are several'))
    .addOption(new Option('--list', 'show where svc is set up').conflicts(['print', 'remove', 'dryRun']))
    .addOption(new Option('--print', 'print the entries and write nothing').conflicts(['remove', 'dryRun']))
    .option('--show-key', 'with --print: print the key too')
    .option('--remove', 'take the entries out')
    .option('--dry-run', 'show the difference and write nothing')
    .option('-y, --yes', 'all assistants on this machine, without a question')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((names: string[], options: McpConfigOptions) => run(names, options, context));
}

/** Each way to work is loaded only when it is asked for. */
async function run(names: string[], options: McpConfigOptions, context: McpConfigContext): Promise<void> {
  const { list, print, showKey = false, remove = false, dryRun = false, yes = false } = options;
  const output = createOutput(context.terminal, options);
  if (list) {
    const { listAssistants } = await import('../assistants/list-assistants.ts');
    return listAssistants(options.profile, context, output);
  }
  if (print) {
    const { printEntries } = await import('../assistants/print-entries.ts');
    return printEntries(names, { ...options, showKey }, context, output);
  }
  const { writeAssistants } = await import('../assistants/write-assistants.ts');
  return writeAssistants(names, { ...options, remove, dryRun, yes }, context, output);
}
