import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { AppError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/provider-names.ts';
import type { NewProviderKey } from '../../contract/providers.ts';
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
  renderOptions,
} from '../memory/command-options.ts';
import { createProgressLine } from '../memory/progress-line.ts';
import { keyInArgumentsError, readProviderKey } from '../providers/key-input.ts';
import { formatKeyCheck } from '../providers/key-lines.ts';
import { parseProvider, providerArgument } from '../providers/provider-argument.ts';

interface AddOptions extends CommonOptions {
  baseUrl?: string;
  model?: string[];
  key?: string;
  apiKey?: string;
}

const HELP = `
The key is asked for and not shown, or comes from standard input; never from an argument. It takes the place of the one
before. Where the provider cannot be asked, the key is kept as unverified. ollama and openai-compatible may do without.

Examples:
  $ svc provider add openai
  $ pass show openai | svc provider add openai --model gpt-4.1-mini --model text-embedding-3-small
  $ svc provider add openai-compatible --base-url https://models.example.com/v1`;

/** `svc provider add`: a key, checked with its provider and kept. */
export function providerAddCommand(context: CommandContext): Command {
  return (
    new Command('add')
      .description('check a key with its provider and keep it, sealed')
      .addArgument(providerArgument())
      .option('--base-url <url>', "another address than the provider's own")
      .option('--model <name>', 'svc may use this model only; may be repeated', collect)
      .option(...JSON_OPTION)
      .option(...PROFILE_OPTION)
      // Known, so that they can be refused in words of our own.
      .addOption(new Option('--key <key>').hideHelp())
      .addOption(new Option('--api-key <key>').hideHelp())
      .allowExcessArguments()
      .addHelpText('after', HELP)
      .action(async (provider: string, options: AddOptions, { args }: Command) => {
        if (args.length > 1 || options.key !== undefined || options.apiKey !== undefined)
          throw keyInArgumentsError(provider);
        await add(parseProvider(provider), options, context);
      })
  );
}

async function add(provider: Provider, options: AddOptions, context: CommandContext): Promise<void> {
  const { baseUrl, model } = options;
  if (provider === 'openai-compatible' && baseUrl === undefined) {
    throw new CommandFailure(EXIT.usage, 'Say where it is: --base-url https://models.example.com/v1');
  }
  const client = await openClient(context, options);
  const key = await readProviderKey(provider, context);
  const progress = createProgressLine(context, options);
  progress.show(`Asking ${provider} …`);
  const given = {
    ...(key !== undefined && { key }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(model && { models: [...new Set(model)] }),
  };
  const kept = await keep(client, provider, given).finally(() => progress.clear());
  if (options.json) return printJson(context, kept);
  context.terminal.out(`${formatKeyCheck(kept, renderOptions(context))}\n`);
}

async function keep(client: Client, provider: Provider, key: NewProviderKey) {
  return client.providerKeys.put(provider, key).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unprocessable') throw error;
    throw new CommandFailure(EXIT.failed, `${error.message}\nIt was not kept.`);
  });
}
