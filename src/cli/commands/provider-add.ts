import { Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
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
  SPACE_OPTION,
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
The key is typed at a hidden prompt or read from standard input, never taken
from an argument. It replaces an existing key. If the provider cannot be
reached, the key is stored as unverified. ollama and openai-compatible may not
need one.

Examples:
  $ svc provider add openai
  $ pass show openai | svc provider add openai --model gpt-4.1-mini --model text-embedding-3-small
  $ svc provider add openai-compatible --base-url https://models.example.com/v1`;

/** `svc provider add`: checks a key with its provider and stores it. */
export function providerAddCommand(context: CommandContext): Command {
  return (
    new Command('add')
      .description('check a key with its provider and store it encrypted')
      .addArgument(providerArgument())
      .option('--base-url <url>', 'custom base URL')
      .option('--model <name>', 'let svc use only this model; repeatable', collect)
      .option(...JSON_OPTION)
      .option(...PROFILE_OPTION)
      .option(...SPACE_OPTION)
      // Declared so that they can be rejected with our own message.
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
    throw new CommandFailure(
      EXIT.usage,
      'openai-compatible needs its address: --base-url https://models.example.com/v1',
    );
  }
  const client = await openClient(context, options);
  const key = await readProviderKey(provider, context);
  const progress = createProgressLine(context, options);
  progress.show(`Checking with ${provider} …`);
  const newKey = {
    ...(key !== undefined && { key }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(model && { models: [...new Set(model)] }),
  };
  const stored = await putKey(client, provider, newKey).finally(() => progress.clear());
  if (options.json) return printJson(context, stored);
  context.terminal.out(`${formatKeyCheck(stored, renderOptions(context))}\n`);
}

async function putKey(client: Client, provider: Provider, key: NewProviderKey) {
  return client.providerKeys.put(provider, key).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 'unprocessable') throw error;
    throw new CommandFailure(EXIT.failed, `${error.message}\nThe key was not stored.`);
  });
}
