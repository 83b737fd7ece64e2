import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { PROVIDERS } from '../../contract/provider-names.ts';
import type { ModelChoice, ProviderSettings, ProviderSettingsChange } from '../../contract/provider-settings.ts';
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
import { parseProvider } from '../providers/provider-argument.ts';
import { settingsLines } from '../providers/settings-lines.ts';

type Purpose = 'embedding' | 'extraction';

const USE_HELP = `
embedding: what this account stores and searches for goes to that provider, for search by meaning. extraction: the model
that svc extract asks for memories. none takes a choice back.

Examples:
  $ svc provider use embedding openai text-embedding-3-small
  $ svc provider use extraction anthropic claude-haiku-4-5
  $ svc provider use embedding none`;

/** `svc provider use`: the model for a purpose. */
export function providerUseCommand(context: CommandContext): Command {
  return new Command('use')
    .description('choose the model that embeds, or that draws memories')
    .addArgument(new Argument('<purpose>', 'what for').choices(['embedding', 'extraction']))
    .addArgument(new Argument('<provider>', 'whose model, or none').choices([...PROVIDERS, 'none']))
    .argument('[model]', 'its name; svc provider list shows them')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', USE_HELP)
    .action(async (purpose: Purpose, provider: string, model: string | undefined, options: CommonOptions) => {
      const choice = choiceOf(provider, model);
      const change = purpose === 'embedding' ? { embedding: choice } : { extraction: { model: choice } };
      await apply(change, options, context);
      if (purpose === 'embedding' && choice !== null && !options.json) {
        context.terminal.error(`From now on what this account stores and searches for goes to ${choice.provider}.\n`);
      }
    });
}

function choiceOf(word: string, model: string | undefined): ModelChoice | null {
  if (word === 'none' && model === undefined) return null;
  if (word === 'none') throw new CommandFailure(EXIT.usage, 'none stands alone, without a model.');
  const provider = parseProvider(word);
  if (model !== undefined) return { provider, model };
  throw new CommandFailure(EXIT.usage, `Name the model of ${provider} too. svc provider list shows them.`);
}

interface SettingsOptions extends CommonOptions {
  onAppend?: 'on' | 'off';
  dailyTokens?: number | 'none';
  price?: { input: number; output: number } | 'none';
  dailySpend?: number | 'none';
}

const SETTINGS_HELP = `
Without an option it shows what is in force, and what today used. Days are UTC. Where a limit is reached, drawing memories
waits for the next day.

Examples:
  $ svc provider settings
  $ svc provider settings --on-append on --daily-tokens 200000
  $ svc provider settings --price 0.4/1.6 --daily-spend 2
  $ svc provider settings --daily-spend none`;

/** `svc provider settings`: what svc may do by itself with the keys. */
export function providerSettingsCommand(context: CommandContext): Command {
  return new Command('settings')
    .description('show or change what svc may do with the keys by itself')
    .addOption(
      new Option('--on-append <state>', 'draw memories by itself when a conversation grew').choices(['on', 'off']),
    )
    .option('--daily-tokens <count>', 'draw memories for so many tokens a day at most, or none: no limit', readTokens)
    .option('--price <in/out>', 'what a million tokens in and out cost, in your currency, or none', readPrice)
    .option('--daily-spend <amount>', 'draw memories for so much a day at most, or none: no limit', readAmount)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', SETTINGS_HELP)
    .action(async (options: SettingsOptions) => {
      const { onAppend, dailyTokens, price, dailySpend } = options;
      const extraction = {
        ...(onAppend !== undefined && { onAppend: onAppend === 'on' }),
        ...(dailyTokens !== undefined && { dailyTokens: orNull(dailyTokens) }),
        ...(price !== undefined && { pricePerMillion: orNull(price) }),
        ...(dailySpend !== undefined && { dailySpend: orNull(dailySpend) }),
      };
      if (Object.keys(extraction).length > 0) return apply({ extraction }, options, context);
      show(await (await openClient(context, options)).providerSettings.show(), options, context);
    });
}

async function apply(change: ProviderSettingsChange, options: CommonOptions, context: CommandContext): Promise<void> {
  const client = await openClient(context, options);
  show(await client.providerSettings.change(change), options, context);
}

function show(settings: ProviderSettings, { json }: CommonOptions, context: CommandContext): void {
  if (json) printJson(context, settings);
  else context.terminal.out(`${settingsLines(settings, renderOptions(context)).join('\n')}\n`);
}

/** An option cannot be null by itself: its parser takes that for an empty text. */
function orNull<T>(value: T | 'none'): T | null {
  return value === 'none' ? null : value;
}

function readTokens(text: string): number | 'none' {
  if (text === 'none') return text;
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) throw new InvalidArgumentError('A whole number, or none.');
  return count;
}

function readAmount(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('An amount such as 2 or 0.4, or none.');
  return Number(text);
}

function readPrice(text: string): { input: number; output: number } | 'none' {
  if (text === 'none') return text;
  const [, input, output] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (input === undefined || output === undefined) throw new InvalidArgumentError('Such as 0.4/1.6, or none.');
  return { input: Number(input), output: Number(output) };
}
