import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { redactKeys } from '../providers/key-input.ts';
import { providerAddCommand } from './provider-add.ts';
import { providerCheckCommand, providerListCommand, providerRemoveCommand } from './provider-keys.ts';
import { providerSettingsCommand, providerUseCommand } from './provider-settings.ts';

const HELP = `
A key is checked with its provider, stored encrypted, and used only for this
account. It is never read from the command line: svc provider add prompts for
it, or reads standard input.

Examples:
  $ svc provider add openai
  $ svc provider add ollama --base-url http://10.0.0.5:11434 < /dev/null
  $ svc provider use extraction openai gpt-4.1-mini
  $ svc provider list`;

/** `svc provider`: keys of model providers and how svc may use them. */
export function providerCommand(context: CommandContext): Command {
  const provider = new Command('provider')
    .description('your own model provider keys, and how svc may use them')
    .addHelpText('after', HELP);
  const commands = [
    providerAddCommand(context),
    providerListCommand(context),
    providerCheckCommand(context),
    providerRemoveCommand(context),
    providerUseCommand(context),
    providerSettingsCommand(context),
  ];
  for (const command of commands) provider.addCommand(command);
  for (const command of [provider, ...commands]) {
    command.configureOutput({ outputError: (message, write) => write(redactKeys(message)) });
  }
  return provider;
}
