import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { requireTerminal, requireYes, YES_OPTION } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { describeKey, formatKeyCheck, keyRow, keyTable } from '../providers/key-lines.ts';
import { parseProvider, providerArgument } from '../providers/provider-argument.ts';

interface RemoveOptions extends CommonOptions {
  yes?: true;
}

const LIST_HELP = `
When output is not a terminal, it prints one line per key with tab-separated
fields: provider, last four characters, status, outcome of the last check, base
URL, models.

Examples:
  $ svc provider list
  $ svc provider list --json | jq -r ".data[].models[]"`;

/** `svc provider list`: lists keys, newest first. */
export function providerListCommand(context: CommandContext): Command {
  return new Command('list')
    .description('list your keys, showing only their last four characters')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', LIST_HELP)
    .action(async (options: CommonOptions) => {
      const { terminal } = context;
      const keys = await (await openClient(context, options)).providerKeys.list();
      if (options.json) printJson(context, keys);
      else if (!terminal.isTty) terminal.out(keys.data.map((key) => `${keyRow(key)}\n`).join(''));
      else if (keys.data.length > 0) terminal.out(`${keyTable(keys.data, renderOptions(context))}\n`);
      else terminal.out('No provider keys yet. Add one: svc provider add openai\n');
    });
}

const CHECK_HELP = `
Exits with 0 if the provider accepts the key, with 1 if it refuses the key or
cannot be reached.

Examples:
  $ svc provider check openai`;

/** `svc provider check`: checks a stored key with its provider. */
export function providerCheckCommand(context: CommandContext): Command {
  return new Command('check')
    .description('check whether the provider still accepts the key')
    .addArgument(providerArgument())
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', CHECK_HELP)
    .action(async (word: string, options: CommonOptions) => {
      const provider = parseProvider(word);
      const client = await openClient(context, options);
      const progress = createProgressLine(context, options);
      progress.show(`Checking with ${provider} …`);
      const key = await client.providerKeys.validate(provider).finally(() => progress.clear());
      if (options.json) printJson(context, key);
      else context.terminal.out(`${formatKeyCheck(key, renderOptions(context))}\n`);
      if (key.check.outcome !== 'ok') throw new CommandFailure(EXIT.failed);
    });
}

const REMOVE_HELP = `
svc stops using the key at once, and clears the models chosen from this
provider. The key stays valid at the provider: revoke it there.

Examples:
  $ svc provider remove openai
  $ svc provider remove openai --yes`;

/** `svc provider remove`: erases a key after confirmation. */
export function providerRemoveCommand(context: CommandContext): Command {
  return new Command('remove')
    .description('erase a key and stop using it')
    .addArgument(providerArgument())
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', REMOVE_HELP)
    .action(async (word: string, options: RemoveOptions) => {
      const provider = parseProvider(word);
      if (!options.yes) requireTerminal(context.input);
      const client = await openClient(context, options, { retries: 5 });
      if (!options.yes) {
        const key = await client.providerKeys.get(provider);
        await requireYes(context.input, `Remove ${describeKey(key)} for ${provider}?`, 'Nothing was removed.');
      }
      await client.providerKeys.delete(provider);
      if (options.json) printJson(context, { provider, removed: true });
      else
        context.terminal.out(`Removed the key for ${provider}. It stays valid at the provider until you revoke it.\n`);
    });
}
