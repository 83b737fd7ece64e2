import { Command, Option } from 'commander';
import type { EntryOptions, McpConfigContext } from '../assistants/build-entry.ts';
import { createOutput } from '../output.ts';
import { profileOption } from '../sign-in/profile-choice.ts';

interface McpConfigOptions extends EntryOptions {
  print?: true;
  list?: true;
  remove?: true;
  dryRun?: true;
  showKey?: true;
  yes?: true;
  json?: true;
}

const HELP = `
Finds the assistants on this machine and adds an entry named svc to each one's
configuration file. Comments, order and other servers are preserved, a backup is
kept beside the file, and a file that cannot be parsed is left alone. By default
the assistant starts the bridge (svc mcp), which reads the key from the
keychain. With --transport http, the address and key are written to the file,
which only you can read.

Assistants: claude-code, claude-desktop, codex, cursor, vscode, windsurf, zed,
gemini, copilot, cline, continue, goose, opencode, lm-studio, kiro, warp, junie.

Examples:
  $ svc mcp-config                                      choose from those installed
  $ svc mcp-config claude-code codex                    these two
  $ svc mcp-config cursor --transport http --dry-run    see what would change
  $ svc mcp-config claude-code --scope project          for everyone who works in this folder
  $ svc mcp-config gemini --print                       print the entry to copy
  $ svc mcp-config --list                               where svc is set up, and with which key
  $ svc mcp-config --remove --yes                       remove svc from all of them`;

/** `svc mcp-config`: adds svc to the configuration of assistants. */
export function mcpConfigCommand(context: McpConfigContext): Command {
  return new Command('mcp-config')
    .description('set up the AI assistants on this machine')
    .argument('[assistant...]', 'assistants to set up, installed or not')
    .addOption(
      new Option('--transport <kind>', 'how the assistant connects to svc').choices(['stdio', 'http']).default('stdio'),
    )
    .addOption(
      new Option('--key-from <where>', 'with http: write the key, or let the assistant read SVC_API_KEY').choices([
        'literal',
        'env',
      ]),
    )
    .addOption(
      new Option('--scope <scope>', 'your own configuration or that of this folder')
        .choices(['user', 'project'])
        .default('user'),
    )
    .addOption(profileOption('the account to use, if there are several'))
    .addOption(new Option('--list', 'show where svc is set up').conflicts(['print', 'remove', 'dryRun']))
    .addOption(new Option('--print', 'print the entries without writing them').conflicts(['remove', 'dryRun']))
    .option('--show-key', 'with --print: print the key too')
    .option('--remove', 'remove the entries')
    .option('--dry-run', 'show the difference without writing it')
    .option('-y, --yes', 'set up all assistants on this machine without asking')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((names: string[], options: McpConfigOptions) => run(names, options, context));
}

/** Loads only the code of the mode that is used. */
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
  const { configureAssistants } = await import('../assistants/configure-assistants.ts');
  return configureAssistants(names, { ...options, remove, dryRun, yes }, context, output);
}
