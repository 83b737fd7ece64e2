import { Command } from 'commander';
import type { Client, Page } from '../../client/client.ts';
import type { Memory } from '../../contract/memories.ts';
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
import { memoryCard } from '../memory/memory-card.ts';
import { type FilterOptions, queryOf, withFilterOptions } from '../memory/memory-options.ts';
import { memoryRow } from '../memory/memory-row.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';
import { wrap } from '../memory/terminal-text.ts';

interface ListOptions extends CommonOptions, FilterOptions {
  limit: number;
  all?: true;
}

const LARGEST_PAGE = 200;

const HELP = `
When output is not a terminal, it prints one line per memory with tab-separated
fields: id, time, user, tags, content.

Examples:
  $ svc list
  $ svc list --tag taste --after "a year ago" --limit 100
  $ svc list --all --json > memories.json
  $ svc list --all | cut -f1 | wc -l`;

/** `svc list`: lists memories, newest first. */
export function listCommand(context: CommandContext): Command {
  const command = new Command('list')
    .description('list memories, newest first')
    .option('--limit <count>', 'how many to show', parseCount, 20)
    .option('--all', 'show all of them');
  return withFilterOptions(command, context.clock.nowMs)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (options: ListOptions) => {
      const client = await openClient(context, options);
      if (options.json) return printJson(context, await collected(client, options));
      if (!context.terminal.isTty) return printRows(client, options, context);
      await printCards(await collected(client, options), options, context);
    });
}

/** Yields pages until `limit` memories were read, or all of them. */
async function* pages(client: Client, options: ListOptions): AsyncGenerator<Page<Memory>> {
  let left = options.all ? Number.POSITIVE_INFINITY : options.limit;
  let query = queryOf(options);
  while (left > 0) {
    const page = await client.memories.list({ ...query, limit: Math.min(left, LARGEST_PAGE) });
    yield page;
    left -= page.data.length;
    if (page.nextCursor === null) return;
    query = { ...query, cursor: page.nextCursor };
  }
}

async function collected(client: Client, options: ListOptions): Promise<Page<Memory>> {
  const all: Page<Memory> = { data: [], nextCursor: null };
  for await (const { data, nextCursor } of pages(client, options)) {
    all.data.push(...data);
    all.nextCursor = nextCursor;
  }
  return all;
}

async function printRows(client: Client, options: ListOptions, { terminal }: CommandContext): Promise<void> {
  for await (const { data } of pages(client, options)) {
    if (terminal.closed.aborted) return;
    terminal.out(data.map((memory) => `${memoryRow(memory)}\n`).join(''));
  }
}

async function printCards(page: Page<Memory>, options: ListOptions, context: CommandContext): Promise<void> {
  const { terminal, settingsFolder } = context;
  const look = renderOptions(context);
  const { data, nextCursor } = page;
  if (data.length === 0) {
    terminal.out(`${wrap(nothingText(options), terminal.columns).join('\n')}\n`);
    return;
  }
  const labels = shortIds(data.map(({ id }) => id));
  const cards = data.map((memory) => memoryCard(memory, { label: labels.get(memory.id)!, maxLines: 2 }, look));
  const more = `More available: --limit ${options.limit * 5}, or --all`;
  const footer = nextCursor === null ? '' : `\n${look.style.dim(wrap(more, terminal.columns).join('\n'))}\n`;
  terminal.out(`${cards.join('\n')}\n${footer}`);
  await createRecentIds(settingsFolder).remember(data.map(({ id }) => id));
}

function nothingText(options: ListOptions): string {
  const filtered = Object.keys(queryOf(options)).length > 0;
  if (filtered) return 'No memories match these filters.';
  return 'No memories yet. Add one: svc add "Ada prefers oolong tea"';
}
