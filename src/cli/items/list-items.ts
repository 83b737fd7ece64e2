import { Command } from 'commander';
import type { Page } from '../../client/client.ts';
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
import type { IdKind } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';
import { oneLine, wrap } from '../memory/terminal-text.ts';
import { type ItemKind, type ItemQuery, nameOf, type TitledItem } from './item-kind.ts';
import { titledCard } from './titled-card.ts';

interface ListOptions extends CommonOptions {
  limit: number;
  all?: true;
  user?: string;
  project?: string;
}

const LARGEST_PAGE = 200;

/** The subcommand `list`, which lists items newest first. Meant as the default of its group. */
export function listItemsCommand<Item extends TitledItem>(context: CommandContext, kind: ItemKind<Item>): Command {
  return new Command('list')
    .description(`list ${kind.id.many}, newest first`)
    .option('--limit <count>', 'how many to show', parseCount, 20)
    .option('--all', 'show all of them')
    .option('--user <name>', 'whose, if the account serves several users')
    .option('--project <name>', 'only what belongs to this project or to none')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', helpOf(kind.id))
    .action(async (options: ListOptions) => {
      const client = await openClient(context, options);
      const { all, limit, user, project } = options;
      const filter = { ...(user !== undefined && { user }), ...(project !== undefined && { project }) };
      const page = await collectItems(
        (query) => kind.list(client, { ...filter, ...query }),
        all ? Number.POSITIVE_INFINITY : limit,
      );
      if (options.json) return printJson(context, page);
      if (page.data.length > 0 || !context.terminal.isTty) await printItems(page.data, kind, context);
      else printEmpty(Object.keys(filter).length > 0, kind, context);
      if (context.terminal.isTty && page.nextCursor !== null) printMore(limit, context);
    });
}

function helpOf({ many }: IdKind): string {
  return `
Examples:
  $ svc ${many} --project atlas --limit 100
  $ svc ${many} --all --json > ${many}.json`;
}

/** Loads pages until `limit` items were read, or all. */
export async function collectItems<Item>(
  load: (query: Pick<ItemQuery, 'limit' | 'cursor'>) => PromiseLike<Page<Item>>,
  limit: number,
): Promise<Page<Item>> {
  const all: Page<Item> = { data: [], nextCursor: null };
  do {
    const page = await load({
      limit: Math.min(limit - all.data.length, LARGEST_PAGE),
      ...(all.nextCursor !== null && { cursor: all.nextCursor }),
    });
    all.data.push(...page.data);
    all.nextCursor = page.nextCursor;
  } while (all.nextCursor !== null && all.data.length < limit);
  return all;
}

function rowOf<Item extends TitledItem>(item: Item, kind: ItemKind<Item>): string {
  return `${[item.id, ...kind.cells(item), item.title ?? ''].map(oneLine).join('\t')}\n`;
}

/** Prints items as cards on a terminal, otherwise as a line each. */
export async function printItems<Item extends TitledItem>(
  items: readonly Item[],
  kind: ItemKind<Item>,
  context: CommandContext,
): Promise<void> {
  const { terminal, settingsFolder } = context;
  if (!terminal.isTty) return terminal.out(items.map((item) => rowOf(item, kind)).join(''));
  const look = renderOptions(context);
  const labels = shortIds(items.map(({ id }) => id));
  const cards = items.map((item) =>
    titledCard({ label: labels.get(item.id)!, title: nameOf(item), facts: kind.facts(item, look.nowMs) }, look),
  );
  terminal.out(`${cards.join('\n')}\n`);
  await createRecentIds(settingsFolder).remember(items.map(({ id }) => id));
}

function printEmpty(
  filtered: boolean,
  { id, emptyText }: { id: IdKind; emptyText: string },
  { terminal }: CommandContext,
) {
  const text = filtered ? `No ${id.many} match these filters.` : emptyText;
  terminal.out(`${wrap(text, terminal.columns).join('\n')}\n`);
}

function printMore(limit: number, context: CommandContext): void {
  const { columns, style } = renderOptions(context);
  const more = wrap(`More available: --limit ${limit * 5}, or --all`, columns).join('\n');
  context.terminal.out(`\n${style.dim(more)}\n`);
}
