import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import type { AddedMemory, NewMemory } from '../../contract/memories.ts';
import { parseTimestamp } from '../../lib/clock.ts';
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
import { type Draft, editText, withDraftPath } from '../memory/editor.ts';
import { findId } from '../memory/find-id.ts';
import { type NewMemoryOptions, newMemoryOf, withNewMemoryOptions } from '../memory/memory-options.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { shortId } from '../memory/short-id.ts';
import { readStdin } from '../memory/stdin.ts';

interface AddOptions extends CommonOptions, NewMemoryOptions {
  supersedes?: string;
}

const HELP = `
Without text it reads standard input; on a terminal it opens your editor
($VISUAL, $EDITOR). Adding the same content again returns the existing memory.
When output is not a terminal, it prints only the id.

Examples:
  $ svc add "Ada prefers oolong tea" --tag taste
  $ git log -1 --format=%B | svc add --tag release --metadata project=svc
  $ svc add "Ada moved to Graz" --occurred yesterday --expires "in 6 months"
  $ svc add "Ada prefers green tea" --supersedes 8c1f04d2`;

/** `svc add`: stores one memory from the arguments, a pipe or the editor. */
export function addCommand(context: CommandContext): Command {
  const { clock } = context;
  const command = new Command('add')
    .description('store a memory')
    .argument('[text...]', 'what to remember; - reads standard input');
  return withNewMemoryOptions(command, clock.nowMs)
    .option('--supersedes <id>', 'the memory this one replaces, which stays as history')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (words: string[], options: AddOptions) => {
      const client = await openClient(context, options);
      const { text, draft } = await textOf(words, context);
      const added = await client.memories
        .create(await memoryOf(text, options, client, context))
        .catch((error: Error) => {
          throw draft ? withDraftPath(error, draft) : error;
        });
      await draft?.discard();
      await report(added, options, context);
    });
}

async function textOf(
  words: string[],
  { input, environment }: CommandContext,
): Promise<{ text: string; draft?: Draft }> {
  const given = words.join(' ');
  if (given.trim() !== '' && given !== '-') return { text: given };
  if (words.length > 0 && given !== '-') {
    // Standard input may belong to the loop of a script, whose lines would become this memory.
    throw new CommandFailure(EXIT.usage, 'Nothing to add: the text is empty. Leave it out to read standard input.');
  }
  if (given === '-' || !input.isTty) {
    const text = (await readStdin(input)).replace(/\s+$/, '');
    if (text.trim() === '') throw new CommandFailure(EXIT.usage, 'Nothing to add: standard input is empty.');
    return { text };
  }
  const draft = await editText('', environment);
  if (draft.text.trim() !== '') return { text: draft.text, draft };
  await draft.discard();
  throw new CommandFailure(EXIT.failed, 'The text is empty: nothing was added.');
}

async function memoryOf(
  content: string,
  options: AddOptions,
  client: Client,
  { settingsFolder, input }: CommandContext,
): Promise<NewMemory> {
  // Assistants run commands without a terminal.
  const memory = { ...newMemoryOf(content, options), ...(input.isTty && { origin: 'person' as const }) };
  if (options.supersedes === undefined) return memory;
  return { ...memory, supersedes: await findId(options.supersedes, client, createRecentIds(settingsFolder)) };
}

async function report(added: AddedMemory, options: AddOptions, context: CommandContext): Promise<void> {
  const { terminal, settingsFolder } = context;
  if (options.json) return printJson(context, added);
  const { style, nowMs } = renderOptions(context);
  const addedAt = formatRelativeTime(parseTimestamp(added.createdAt) ?? nowMs, nowMs);
  const known = `Already stored (${addedAt}).`;
  if (!terminal.isTty) {
    if (added.duplicate) terminal.error(`${known}\n`);
    terminal.out(`${added.id}\n`);
    return;
  }
  await createRecentIds(settingsFolder).remember([added.id]);
  const outcome = added.duplicate ? style.caution(known) : style.good('Remembered.');
  terminal.out(`${outcome}  ${style.bold(shortId(added.id))}\n`);
}
