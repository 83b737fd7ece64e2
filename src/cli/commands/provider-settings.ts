import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { PROVIDERS } from '../../contract/provider-names.ts';
import type { ModelChoice, ProviderSettings, ProviderSettingsChange } from '../../contract/provider-settings.ts';
import { TIDY_SCHEDULES, type TidySchedule } from '../../contract/tidy-schedules.ts';
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
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { parseProvider } from '../providers/provider-argument.ts';
import { settingsLines } from '../providers/settings-lines.ts';

type Purpose = 'embedding' | 'extraction';

const USE_HELP = `
embedding: everything this account stores and searches for is sent to the
provider, to search by meaning. extraction: the model that svc extract uses.
none clears the choice.

Examples:
  $ svc provider use embedding openai text-embedding-3-small
  $ svc provider use extraction anthropic claude-haiku-4-5
  $ svc provider use embedding none`;

/** `svc provider use`: chooses the model for a purpose. */
export function providerUseCommand(context: CommandContext): Command {
  return new Command('use')
    .description('choose the model for embedding or extraction')
    .addArgument(new Argument('<purpose>', 'the purpose').choices(['embedding', 'extraction']))
    .addArgument(new Argument('<provider>', 'the provider, or none').choices([...PROVIDERS, 'none']))
    .argument('[model]', 'the model; svc provider list shows them')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', USE_HELP)
    .action(async (purpose: Purpose, provider: string, model: string | undefined, options: CommonOptions) => {
      const choice = choiceOf(provider, model);
      const change = purpose === 'embedding' ? { embedding: choice } : { extraction: { model: choice } };
      await apply(change, options, context);
      if (purpose === 'embedding' && choice !== null && !options.json) {
        context.terminal.error(
          `From now on, what this account stores and searches for is sent to ${choice.provider}.\n`,
        );
      }
    });
}

function choiceOf(word: string, model: string | undefined): ModelChoice | null {
  if (word === 'none' && model === undefined) return null;
  if (word === 'none') throw new CommandFailure(EXIT.usage, 'none does not take a model.');
  const provider = parseProvider(word);
  if (model !== undefined) return { provider, model };
  throw new CommandFailure(EXIT.usage, `Name a model of ${provider} too. Run svc provider list to see them.`);
}

interface SettingsOptions extends CommonOptions {
  onAppend?: 'on' | 'off';
  dailyTokens?: number | 'none';
  price?: { input: number; output: number } | 'none';
  dailySpend?: number | 'none';
  tidy?: TidySchedule;
}

const SETTINGS_HELP = `
Without options it shows the settings and today's usage. Days are UTC. When a
limit is reached, extraction waits until the next day.

Examples:
  $ svc provider settings
  $ svc provider settings --on-append on --daily-tokens 200000
  $ svc provider settings --price 0.4/1.6 --daily-spend 2
  $ svc provider settings --daily-spend none`;

/** `svc provider settings`: how svc may use the keys. */
export function providerSettingsCommand(context: CommandContext): Command {
  return new Command('settings')
    .description('show or change how svc may use your keys')
    .addOption(
      new Option('--on-append <state>', 'extract automatically when a conversation grows').choices(['on', 'off']),
    )
    .option('--daily-tokens <count>', 'daily token limit for extraction, or none', parseTokens)
    .option('--price <in/out>', 'price of a million input/output tokens in your currency, or none', parsePrice)
    .option('--daily-spend <amount>', 'daily spending limit for extraction, or none', parseAmount)
    .addOption(
      new Option('--tidy <schedule>', 'how often your model suggests how to tidy memories').choices([
        ...TIDY_SCHEDULES,
      ]),
    )
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', SETTINGS_HELP)
    .action(async (options: SettingsOptions) => {
      const { onAppend, dailyTokens, price, dailySpend, tidy } = options;
      const extraction = {
        ...(onAppend !== undefined && { onAppend: onAppend === 'on' }),
        ...(dailyTokens !== undefined && { dailyTokens: orNull(dailyTokens) }),
        ...(price !== undefined && { pricePerMillion: orNull(price) }),
        ...(dailySpend !== undefined && { dailySpend: orNull(dailySpend) }),
      };
      const change = {
        ...(Object.keys(extraction).length > 0 && { extraction }),
        ...(tidy !== undefined && { tidySchedule: tidy }),
      };
      if (Object.keys(change).length > 0) return apply(change, options, context);
      show(await (await openClient(context, options)).providerSettings.get(), options, context);
    });
}

async function apply(change: ProviderSettingsChange, options: CommonOptions, context: CommandContext): Promise<void> {
  const client = await openClient(context, options);
  show(await client.providerSettings.update(change), options, context);
}

function show(settings: ProviderSettings, { json }: CommonOptions, context: CommandContext): void {
  if (json) printJson(context, settings);
  else context.terminal.out(`${settingsLines(settings, renderOptions(context)).join('\n')}\n`);
}

/** commander treats a parsed `null` as an empty string, so `none` becomes null only here. */
function orNull<T>(value: T | 'none'): T | null {
  return value === 'none' ? null : value;
}

function parseTokens(text: string): number | 'none' {
  if (text === 'none') return text;
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count))
    throw new InvalidArgumentError('Expected a whole number or none.');
  return count;
}

function parseAmount(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected an amount such as 2 or 0.4, or none.');
  return Number(text);
}

function parsePrice(text: string): { input: number; output: number } | 'none' {
  if (text === 'none') return text;
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (input === undefined || output === undefined)
    throw new InvalidArgumentError('Expected input/output prices such as 0.4/1.6, or none.');
  return { input: Number(input), output: Number(output) };
}
