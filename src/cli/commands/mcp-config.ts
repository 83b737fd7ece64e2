import { Command, Option } from 'commander';
import { ASSISTANTS } from '../assistants/assistant-table.ts';
import type { EntryOptions, McpConfigContext } from '../assistants/build-entry.ts';
import { wrap } from '../memory/terminal-text.ts';
import { createOutput } from '../output.ts';
import { profileOption } from '../sign-in/profile-choice.ts';

interface McpConfigOptions extends EntryOptions {
  print?: true;
  list?: true;
  remove?: true;
  dryRun?: true;
  showKey?: true;
  instructions?: true;
  hooks?: true;
  yes?: true;
  json?: true;
}

const HELP = `
Adds an entry named svc to the configuration files of AI assistants, by default
those installed on this machine. Comments, order and other servers are
preserved, and a backup is written beside each file. Files that cannot be parsed
are not changed.

The entry starts the bridge (svc mcp), which reads the key from the keychain.
With --transport http, it contains the URL and the key instead, and only you can
read the file. With --key-from oauth, it contains the URL alone, and the
assistant asks you in a browser: the daemon needs a public https address.

${wrap(`Assistants: ${ASSISTANTS.map(({ id }) => id).join(', ')}.`, 80).join('\n')}

Examples:
  $ svc mcp-config                                      select from the installed assistants, hooks, instructions
  $ svc mcp-config claude-code codex                    set up two assistants
  $ svc mcp-config cursor --transport http --dry-run    show what would change
  $ svc mcp-config claude-code --scope project          set up the project in this folder
  $ svc mcp-config claude-code --instructions           also explain the memory in ~/.claude/CLAUDE.md
  $ svc mcp-config claude-code --hooks                  also recall and store without being asked
  $ svc mcp-config codex --scope project --space team         share the memory of this project
  $ svc mcp-config gemini --print                       print the entry for Gemini CLI
  $ svc mcp-config --list                               show where svc is set up, and with which key
  $ svc mcp-config --remove --yes                       remove svc from all assistants`;

/** `svc mcp-config`: adds svc to assistants' configuration files, or removes it. */
export function mcpConfigCommand(context: McpConfigContext): Command {
  return new Command('mcp-config')
    .description('set up the AI assistants on this machine')
    .argument('[assistant...]', 'assistants to set up, even if not installed')
    .addOption(
      new Option('--transport <kind>', 'how the assistant connects to svc').choices(['stdio', 'http']).default('stdio'),
    )
    .addOption(
      new Option(
        '--key-from <where>',
        'with http: write the key, refer to the variable SVC_API_KEY, or let the assistant connect with OAuth',
      ).choices(['literal', 'env', 'oauth']),
    )
    .addOption(
      new Option('--scope <scope>', 'your user configuration, or the project in this folder')
        .choices(['user', 'project'])
        .default('user'),
    )
    .option('--instructions', 'also tell the assistants to use the memory, in CLAUDE.md, AGENTS.md or the like')
    .addOption(
      new Option('--hooks', 'also recall and store without being asked').conflicts(['profile', 'space', 'spaces']),
    )
    .addOption(profileOption('the account to use, if there are several'))
    .option('--space <name>', 'the space that the assistants act in, if not your own account')
    .option('--spaces <names>', 'what their tools read together, such as default,team')
    .addOption(new Option('--list', 'show which assistants are set up').conflicts(['print', 'remove', 'dryRun']))
    .addOption(new Option('--print', 'print the entries instead of writing them').conflicts(['remove', 'dryRun']))
    .option('--show-key', 'with --print: include the key')
    .option('--remove', 'remove the entries, instructions and hooks')
    .option('--dry-run', 'show a diff instead of writing')
    .option('-y, --yes', 'change all installed assistants without asking')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((names: string[], options: McpConfigOptions) => run(names, options, context));
}

/** Loads only the code of the requested mode. */
async function run(names: string[], options: McpConfigOptions, context: McpConfigContext): Promise<void> {
  const { list, print, showKey = false, remove = false, dryRun = false, yes = false } = options;
  const { instructions = false, hooks = false } = options;
  const output = createOutput(context.terminal, options);
  if (list) {
    const { listAssistants } = await import('../assistants/list-assistants.ts');
    return listAssistants(options.profile, context, output);
  }
  if (print) {
    const { printEntries } = await import('../assistants/print-entries.ts');
    return printEntries(names, { ...options, showKey, instructions, hooks }, context, output);
  }
  const { configureAssistants } = await import('../assistants/configure-assistants.ts');
  return configureAssistants(names, { ...options, instructions, hooks, remove, dryRun, yes }, context, output);
}
