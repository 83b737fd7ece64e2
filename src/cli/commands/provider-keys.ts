import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
} from '../memory/command-options.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { describeKey, formatKeyCheck, keyRow, keyTable } from '../providers/key-lines.ts';
import { parseProvider, providerArgument } from '../providers/provider-argument.ts';

interface RemoveOptions extends CommonOptions {
  yes?: true;
}

const LIST_HELP = `
Away from a terminal it prints one line a key, fields set apart by tabs: provider, last four letters, status, outcome of
the last check, address, models.

Examples:
  $ svc provider list
  $ svc provider list --json | jq -r ".data[].models[]"`;

/** `svc provider list`: the keys, the newest first. */
export function providerListCommand(context: CommandContext): Command {
  return new Command('list')
    .description('show the keys, never more of one than its last four letters')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', LIST_HELP)
    .action(async (options: CommonOptions) => {
      const { terminal } = context;
      const keys = await (await openClient(context, options)).providerKeys.list();
      if (options.json) printJson(context, keys);
      else if (!terminal.isTty) terminal.out(keys.data.map((key) => `${keyRow(key)}\n`).join(''));
      else if (keys.data.length > 0) terminal.out(`${keyTable(keys.data, renderOptions(context))}\n`);
      else terminal.out('There are no provider keys yet. The first one: svc provider add openai\n');
    });
}

const CHECK_HELP = `
Ends with 0 where the provider takes the key, with 1 where it refuses it or cannot be asked.

Examples:
  $ svc provider check openai`;

/** `svc provider check`: asks the provider again. */
export function providerCheckCommand(context: CommandContext): Command {
  return new Command('check')
    .description('ask the provider whether it still takes the key')
    .addArgument(providerArgument())
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', CHECK_HELP)
    .action(async (word: string, options: CommonOptions) => {
      const provider = parseProvider(word);
      const client = await openClient(context, options);
      const progress = createProgressLine(context, options);
      progress.show(`Asking ${provider} …`);
      const key = await client.providerKeys.validate(provider).finally(() => progress.clear());
      if (options.json) printJson(context, key);
      else context.terminal.out(`${formatKeyCheck(key, renderOptions(context))}\n`);
      if (key.check.outcome !== 'ok') throw new CommandFailure(EXIT.failed);
    });
}

const REMOVE_HELP = `
What svc does with the key ends at once, and models that were chosen of this provider are given up. The key stays valid
at the provider: to make it worthless, revoke it there.

Examples:
  $ svc provider remove openai
  $ svc provider remove openai --yes`;

/** `svc provider remove`: a key erased, after a question. */
export function providerRemoveCommand(context: CommandContext): Command {
  return new Command('remove')
    .description('erase a key, and end what svc does with it')
    .addArgument(providerArgument())
    .option('-y, --yes', 'do not ask')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', REMOVE_HELP)
    .action(async (word: string, options: RemoveOptions) => {
      const provider = parseProvider(word);
      if (!options.yes && !context.input.isTty) {
        throw new CommandFailure(EXIT.usage, 'Nobody can be asked here. To remove without a question give --yes.');
      }
      const client = await openClient(context, options, { retries: 5 });
      if (!options.yes) {
        const key = await client.providerKeys.get(provider);
        const answer = await context.input.ask(`Remove ${describeKey(key)} for ${provider}? [y/N] `);
        if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure(EXIT.failed, 'Nothing was removed.');
      }
      await client.providerKeys.remove(provider);
      if (options.json) printJson(context, { provider, removed: true });
      else context.terminal.out(`The key for ${provider} is removed. It stays valid there until you revoke it.\n`);
    });
}
