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
} from '../memory/command-options.ts';
import type { IdKind } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { shortIds } from '../memory/short-id.ts';
import { oneLine, wrap } from '../memory/terminal-text.ts';
import type { ItemKind, ItemQuery } from './item-kind.ts';
import { titledCard } from './titled-card.ts';

interface ListOptions extends CommonOptions {
  limit: number;
  all?: true;
  user?: string;
  project?: string;
}

const LARGEST_PAGE = 200;

/** The subcommand `list`, which lists items newest first. Meant as the default of its group. */
export function listItemsCommand<Item extends { id: string; title: string | null }>(
  context: CommandContext,
  kind: ItemKind<Item>,
): Command {
  return new Command('list')
    .description(`list ${kind.id.many}, newest first`)
    .option('--limit <count>', 'how many to show', parseCount, 20)
    .option('--all', 'show all of them')
    .option('--user <name>', 'whose, if the account serves several users')
    .option('--project <name>', 'only what belongs to this project or to none')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', helpOf(kind.id))
    .action(async (options: ListOptions) => {
      const client = await openClient(context, options);
      const { all, limit, user, project } = options;
      const filter = { ...(user !== undefined && { user }), ...(project !== undefined && { project }) };
      const page = await collectItems(
        (query) => kind.list(client, { ...filter, ...query }),
        all ? Number.POSITIVE_INFINITY : limit,
      );
      if (options.json) printJson(context, page);
      else if (!context.terminal.isTty) context.terminal.out(page.data.map((item) => rowOf(item, kind)).join(''));
      else if (page.data.length > 0) await printCards(page, limit, kind, context);
      else {
        const filtered = Object.keys(filter).length > 0;
        const text = filtered ? `No ${kind.id.many} match these filters.` : kind.emptyText;
        context.terminal.out(`${wrap(text, context.terminal.columns).join('\n')}\n`);
      }
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

function rowOf<Item extends { id: string; title: string | null }>(item: Item, kind: ItemKind<Item>): string {
  return `${[item.id, ...kind.cells(item), item.title ?? ''].map(oneLine).join('\t')}\n`;
}

async function printCards<Item extends { id: string; title: string | null }>(
  { data, nextCursor }: Page<Item>,
  limit: number,
  kind: ItemKind<Item>,
  context: CommandContext,
): Promise<void> {
  const look = renderOptions(context);
  const labels = shortIds(data.map(({ id }) => id));
  const cards = data.map((item) =>
    titledCard({ label: labels.get(item.id)!, title: item.title, facts: kind.facts(item, look.nowMs) }, look),
  );
  const more = wrap(`More available: --limit ${limit * 5}, or --all`, look.columns).join('\n');
  context.terminal.out(`${cards.join('\n')}\n${nextCursor === null ? '' : `\n${look.style.dim(more)}\n`}`);
  await createRecentIds(context.settingsFolder).remember(data.map(({ id }) => id));
}
