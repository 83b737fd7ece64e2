import { Command, Option } from 'commander';
import type { Client, Page } from '../../client/client.ts';
import { TOPIC_SORTS, type TopicSort } from '../../contract/topic-sorts.ts';
import type { Topic } from '../../contract/topics.ts';
import type { CommandContext } from '../command-context.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  parseCount,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { oneLine, wrap } from '../memory/terminal-text.ts';
import { topicRow, topicTable } from '../topics/topic-text.ts';

interface TopicsOptions extends CommonOptions {
  user?: string;
  query?: string;
  sort: TopicSort;
  hidden?: true;
  limit: number;
}

const LARGEST_PAGE = 200;

const HELP = `
Topics are the people, places, projects and things that memories mention. svc finds
them some seconds after a memory is stored. When output is not a terminal, it prints
one line per topic with tab-separated fields: id, memories, last mention, name,
other names.

Examples:
  $ svc topics
  $ svc topics --query ada
  $ svc topics --sort latest --limit 10
  $ svc topics --json`;

/** `svc topics`: lists what memories are about. */
export function topicsCommand(context: CommandContext): Command {
  return new Command('topics')
    .description('list what memories are about')
    .option('--user <name>', 'whose topics, if the account serves several users')
    .option('--query <text>', 'only those with a name of which a word begins so')
    .addOption(
      new Option('--sort <order>', 'most mentioned, last mentioned, or by name')
        .choices([...TOPIC_SORTS])
        .default('memories'),
    )
    .option('--hidden', 'only the hidden ones')
    .option('--limit <count>', 'how many to show', parseCount, 50)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (options: TopicsOptions) => {
      const { terminal } = context;
      const page = await collected(await openClient(context, options), options);
      if (options.json) return printJson(context, page);
      if (!terminal.isTty) return terminal.out(page.data.map((topic) => `${topicRow(topic)}\n`).join(''));
      const look = renderOptions(context);
      if (page.data.length === 0) return terminal.out(`${wrap(nothingText(options), terminal.columns).join('\n')}\n`);
      const more = page.nextCursor === null ? '' : `\n${look.style.dim(`More: --limit ${options.limit * 4}`)}\n`;
      terminal.out(`${topicTable(page.data, look)}\n${more}`);
    });
}

async function collected(client: Client, { user, query, sort, hidden, limit }: TopicsOptions): Promise<Page<Topic>> {
  const all: Page<Topic> = { data: [], nextCursor: null };
  do {
    const asked = { user, q: query, sort, hidden, limit: Math.min(limit - all.data.length, LARGEST_PAGE) };
    const page = await client.topics.list({ ...asked, ...(all.nextCursor !== null && { cursor: all.nextCursor }) });
    all.data.push(...page.data);
    all.nextCursor = page.nextCursor;
  } while (all.nextCursor !== null && all.data.length < limit);
  return all;
}

function nothingText({ user, query, hidden }: TopicsOptions): string {
  const of = user === undefined ? '' : ` of ${oneLine(user)}`;
  if (query !== undefined) return `No name of a topic${of} has a word that begins with "${oneLine(query)}".`;
  if (hidden) return `No topic${of} is hidden.`;
  const other = user === undefined ? ' For another user: --user NAME.' : '';
  return `No topics${of} yet: svc finds them some seconds after two memories mention the same name.${other}`;
}
