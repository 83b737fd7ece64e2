import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import {
  isAutomaticKind,
  SUGGESTION_KINDS,
  SUGGESTION_MODES,
  type SuggestionKind,
  type SuggestionMode,
} from '../../contract/suggestion-names.ts';
import type { SuggestionSettings, SuggestionSettingsChange } from '../../contract/suggestion-settings.ts';
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

interface SettingsOptions extends CommonOptions {
  from?: number;
}

const HELP = `
review: suggestions of this kind wait for you. automatic: those that svc finds by
its rules are accepted from a confidence on; in a day they touch at most 2 % of your
memories, and 20, and each can be undone. off: none are made. Without a kind, shows
what is set. When output is not a terminal, it prints one line per kind with
tab-separated fields: kind, mode, confidence.

Examples:
  $ svc review set
  $ svc review set merge automatic --from 0.97
  $ svc review set add off`;

/** `svc review set`: says what happens with suggestions of each kind. */
export function reviewSetCommand(context: CommandContext): Command {
  return new Command('set')
    .description('say per kind whether suggestions wait, are accepted, or are not made')
    .addArgument(new Argument('[kind]', 'the kind').choices([...SUGGESTION_KINDS]))
    .addArgument(new Argument('[mode]', 'what happens with them').choices([...SUGGESTION_MODES]))
    .addOption(
      new Option('--from <confidence>', 'accept automatically from this confidence on, 0.5 to 1').argParser(
        parseConfidence,
      ),
    )
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (kind: SuggestionKind | undefined, mode: SuggestionMode | undefined, _, command: Command) => {
      const options = command.optsWithGlobals<SettingsOptions>();
      const client = await openClient(context, options);
      const settings =
        kind === undefined
          ? await client.suggestions.settings.get()
          : await client.suggestions.settings.update(changeOf(kind, mode, options));
      if (options.json) printJson(context, settings);
      else context.terminal.out(`${linesOf(settings, context).join('\n')}\n`);
    });
}

function changeOf(
  kind: SuggestionKind,
  mode: SuggestionMode | undefined,
  { from }: SettingsOptions,
): SuggestionSettingsChange {
  if (mode === undefined)
    throw new CommandFailure(EXIT.usage, `Say what happens with ${kind}: review, automatic or off.`);
  if (mode === 'automatic' && !isAutomaticKind(kind)) {
    throw new CommandFailure(EXIT.usage, `Only a person can decide ${kind}: choose review or off.`);
  }
  if (from !== undefined && mode !== 'automatic') {
    throw new CommandFailure(EXIT.usage, '--from goes with automatic.');
  }
  return { [kind]: { mode, ...(from !== undefined && { minConfidence: from }) } };
}

function parseConfidence(text: string): number {
  const confidence = Number(text);
  if (confidence >= 0.5 && confidence <= 1) return confidence;
  throw new InvalidArgumentError('It must be a number from 0.5 to 1.');
}

function linesOf(settings: SuggestionSettings, context: CommandContext): string[] {
  const { style } = renderOptions(context);
  return SUGGESTION_KINDS.map((kind) => {
    const setting = settings[kind];
    const from = setting.mode === 'automatic' && 'minConfidence' in setting ? setting.minConfidence : undefined;
    if (!context.terminal.isTty) return [kind, setting.mode, from?.toFixed(2) ?? ''].join('\t');
    const paused = 'pausedUntil' in setting && from !== undefined ? setting.pausedUntil : null;
    const notes = [
      ...(from === undefined ? [] : [`from ${from.toFixed(2)}`]),
      ...(paused === null ? [] : [`paused until ${paused.slice(0, 10)}, because two were undone`]),
    ];
    return `${kind.padEnd(14)}${setting.mode}${notes.length === 0 ? '' : `  ${style.dim(notes.join(', '))}`}`;
  });
}
