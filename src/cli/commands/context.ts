import { Command, Option } from 'commander';
import { fence, fenceMark } from '../../contract/fence.ts';
import type { ContextAnswer, ContextRequest } from '../../contract/search.ts';
import type { Random } from '../../lib/random.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  collect,
  type ItemType,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  parseCount,
  parseTypes,
  printJson,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { readStdin } from '../memory/stdin.ts';
import { printable } from '../memory/terminal-text.ts';

type Purpose = NonNullable<ContextRequest['purpose']>;

interface ContextOptions extends CommonOptions {
  wording?: string[];
  user?: string;
  project?: string;
  maxTokens: number;
  types?: ItemType[];
  purpose?: Purpose;
  withPrompt?: true;
  fence: boolean;
}

const PURPOSES: readonly Purpose[] = ['prompt', 'session_start'];

/** The longest query that the daemon accepts: of a longer prompt, its beginning is looked up. */
const MAX_QUERY_CHARACTERS = 10_000;

const HELP = `
The text stands in a fence, which says that it is information and no instruction.
Without anything to recall, it prints nothing and succeeds.

Examples:
  $ svc context "fix the build"
  $ svc context "fix the build" --with-prompt | llm
  $ git log -1 --format=%B | svc context --project svc --max-tokens 500
  $ svc context - --json < prompt.txt`;

/** `svc context`: prints what is remembered about a prompt, as a block of text to put before it. */
export function contextCommand(context: CommandContext, random: Random): Command {
  return new Command('context')
    .description('print what is remembered about a prompt, to put before it')
    .argument('[prompt...]', 'the prompt; - or nothing reads standard input')
    .option('--wording <text>', 'other words in which it may have been told; repeatable', collect)
    .option('--user <name>', 'whose memories, if the account serves several users')
    .option('--project <name>', 'only what belongs to this project or to none')
    .option('--max-tokens <count>', 'the largest text, in tokens', parseCount, 1000)
    .option('--types <list>', 'comma-separated types to recall: memory, message, episode', parseTypes)
    .addOption(
      new Option('--purpose <purpose>', 'prompt: only what is likely of use; session_start: what holds').choices(
        PURPOSES,
      ),
    )
    .option('--with-prompt', 'print the prompt too, after the text')
    .option('--no-fence', 'print the text without a fence')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (words: string[], options: ContextOptions) => {
      const prompt = await promptOf(words, context);
      const client = await openClient(context, options);
      const answer = await client.context(requestOf(prompt, options));
      if (options.json) return printJson(context, answer);
      const { terminal } = context;
      const block = printable(blockOf(answer, options, random));
      if (block === '') terminal.error('Nothing is remembered about this.\n');
      // A program gets the prompt unchanged: its tabs may matter.
      const after = !options.withPrompt ? '' : terminal.isTty ? printable(prompt) : prompt;
      const texts = [block, after].filter((text) => text !== '');
      if (texts.length > 0) terminal.out(`${texts.join('\n\n')}\n`);
    });
}

async function promptOf(words: string[], { input }: CommandContext): Promise<string> {
  const given = words.join(' ').trim();
  if (given !== '' && given !== '-') return given;
  if (given === '' && words.length > 0)
    throw new CommandFailure(EXIT.usage, 'The prompt is empty. Leave it out to read standard input.');
  if (given === '' && input.isTty)
    throw new CommandFailure(EXIT.usage, 'A prompt is missing: svc context "fix the build"');
  const text = (await readStdin(input)).trim();
  if (text === '') throw new CommandFailure(EXIT.usage, 'There is no prompt: standard input is empty.');
  return text;
}

function requestOf(
  prompt: string,
  { wording, user, project, maxTokens, types, purpose }: ContextOptions,
): ContextRequest {
  return {
    query: prompt.slice(0, MAX_QUERY_CHARACTERS).toWellFormed(),
    maxTokens,
    ...(wording && { wordings: wording }),
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
    ...(types && { types }),
    ...(purpose && { purpose }),
  };
}

function blockOf({ text }: ContextAnswer, options: ContextOptions, random: Random): string {
  return text === '' || !options.fence ? text : fence(text, fenceMark(random));
}
