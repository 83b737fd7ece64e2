import { Argument, Command } from 'commander';
import type { LearnedWord } from '../../contract/learned-words.ts';
import type { CommandContext } from '../command-context.ts';
import { requireTerminal, requireYes, YES_OPTION } from '../confirmation.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { oneLine, truncate } from '../memory/terminal-text.ts';

interface LearnedOptions extends CommonOptions {
  user?: string;
  item?: string;
}

interface ForgetOptions extends LearnedOptions {
  word?: string;
  yes?: true;
}

const HELP = `
Where a memory was used for a question, the words of the question find it from then
on. Without a command, lists these words, the last used first. When output is not a
terminal, it prints one line per word with tab-separated fields: word, uses, uses
that were inferred, last used, item, text.

Examples:
  $ svc learned
  $ svc learned forget --word typeface
  $ svc learned off
  $ svc learned infer off`;

const FORGET_HELP = `
Forgets a word, the words of one item, a word of one item, or all, which asks first.

Examples:
  $ svc learned forget --word typeface
  $ svc learned forget --item mem_01a2016d93707280a33e012e50119f00
  $ svc learned forget --yes`;

const USER_OPTION = ['--user <name>', 'whose words, if the account serves several users'] as const;
const ITEM_OPTION = ['--item <id>', 'only words that lead to this memory, message or episode'] as const;

/** `svc learned`: lists the words that lead to memories, forgets them, and switches their learning. */
export function learnedCommand(context: CommandContext): Command {
  return new Command('learned')
    .description('list which words find what was used for them, forget them, or switch them')
    .option(...USER_OPTION)
    .option(...ITEM_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action((options: LearnedOptions) => list(options, context))
    .addCommand(forgetCommand(context))
    .addCommand(switchCommand('on', 'learn the words of questions, and find by them', context))
    .addCommand(switchCommand('off', 'neither learn words nor find by them; those learned stay', context))
    .addCommand(inferCommand(context));
}

function forgetCommand(context: CommandContext): Command {
  return new Command('forget')
    .description('forget learned words')
    .option('--word <word>', 'only this word, in all its forms')
    .option(...USER_OPTION)
    .option(...ITEM_OPTION)
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', FORGET_HELP)
    .action(async (_: ForgetOptions, command: Command) => {
      const options = command.optsWithGlobals<ForgetOptions>();
      const { user, word, item: itemId, yes, json } = options;
      const isAll = word === undefined && itemId === undefined;
      if (isAll && !yes) {
        requireTerminal(context.input);
        await requireYes(context.input, 'Forget all learned words?', 'Nothing was forgotten.');
      }
      const client = await openClient(context, options);
      await client.retrieval.words.delete({ user, word, itemId });
      if (json) printJson(context, { forgotten: true });
      else context.terminal.out('Forgotten.\n');
    });
}

function switchCommand(name: 'on' | 'off', description: string, context: CommandContext): Command {
  return new Command(name)
    .description(description)
    .option(...USER_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', `\nExample:\n  $ svc learned ${name}`)
    .action(async (_: LearnedOptions, command: Command) => {
      const options = command.optsWithGlobals<LearnedOptions>();
      const client = await openClient(context, options);
      const { usesWords } = await client.retrieval.change({ user: options.user, usesWords: name === 'on' });
      if (options.json) printJson(context, { usesWords });
      else context.terminal.out(usesWords ? 'Words of questions are learned.\n' : 'Words are not learned or used.\n');
    });
}

const INFER_HELP = `
A memory that an assistant reads, changes or repeats in its answer after a search is
taken for used, and counts half as much as feedback. So are other wordings of a
question that found nothing.

Example:
  $ svc learned infer off`;

function inferCommand(context: CommandContext): Command {
  return new Command('infer')
    .description('infer uses that nobody reported, or count only feedback')
    .addArgument(new Argument('<switch>', 'on or off').choices(['on', 'off']))
    .option(...USER_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', INFER_HELP)
    .action(async (name: string, _: LearnedOptions, command: Command) => {
      const options = command.optsWithGlobals<LearnedOptions>();
      const client = await openClient(context, options);
      const { infersUses } = await client.retrieval.change({ user: options.user, infersUses: name === 'on' });
      if (options.json) printJson(context, { infersUses });
      else context.terminal.out(infersUses ? 'Uses are inferred.\n' : 'Only feedback counts.\n');
    });
}

async function list({ user, item: itemId, ...options }: LearnedOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const client = await openClient(context, options);
  const words: LearnedWord[] = [];
  for await (const word of client.retrieval.words.list({ user, itemId, limit: 200 })) words.push(word);
  if (options.json) return printJson(context, { data: words });
  if (!terminal.isTty) return terminal.out(words.map((word) => `${rowOf(word)}\n`).join(''));
  if (words.length === 0) {
    return terminal.out(
      'No words learned yet: they come from questions after which an assistant reports what it used.\n',
    );
  }
  const byItem = new Map<string, LearnedWord[]>();
  for (const word of words) byItem.set(word.itemId, [...(byItem.get(word.itemId) ?? []), word]);
  terminal.out([...byItem.values()].map((own) => `${entryOf(own, context)}\n`).join('\n'));
}

function rowOf({ word, uses, observedUses, lastUsedAt, itemId, text }: LearnedWord): string {
  return [oneLine(word), uses, observedUses, lastUsedAt, itemId, oneLine(text)].join('\t');
}

/** An item with the words that lead to it. */
function entryOf(words: readonly LearnedWord[], context: CommandContext): string {
  const { style, nowMs, columns } = renderOptions(context);
  const [{ text, itemId, lastUsedAt }] = words as [LearnedWord];
  const counted = words.map(({ word, uses, observedUses }) => `${oneLine(word)} ×${uses + observedUses}`).join(', ');
  const seen = style.dim(`${itemId}, ${formatRelativeTime(Date.parse(lastUsedAt), nowMs)}`);
  return [style.bold(truncate(oneLine(text), columns)), `  ${counted}`, `  ${seen}`].join('\n');
}
