import { Command, InvalidArgumentError } from 'commander';
import type { Client } from '../../client/client.ts';
import type { SearchAnswer, SearchRequest } from '../../contract/search.ts';
import type { CommandContext } from '../command-context.ts';
import {
  type CommonOptions,
  collect,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  parseCount,
  printJson,
  renderOptions,
} from '../memory/command-options.ts';
import { innerWidth, memoryCard } from '../memory/memory-card.ts';
import { memoryRow } from '../memory/memory-row.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { resultAsMemory } from '../memory/result-as-memory.ts';
import { shortIds } from '../memory/short-id.ts';
import { describeLearned, signalBars } from '../memory/signal-bars.ts';
import { wrap } from '../memory/terminal-text.ts';
import { parseTime } from '../memory/time-option.ts';

type ItemType = NonNullable<SearchRequest['types']>[number];

interface SearchOptions extends CommonOptions {
  limit: number;
  user?: string;
  tag?: string[];
  after?: string;
  before?: string;
  asOf?: string;
  types?: ItemType[];
  explain?: true;
}

const ITEM_TYPES: readonly ItemType[] = ['memory', 'message', 'episode'];

const HELP = `
Away from a terminal it prints one line a result, fields set apart by tabs: id, score, time, user, tags, content.

Examples:
  $ svc search oolong
  $ svc search what does Ada drink --limit 3 --explain
  $ svc search office --tag work --after "3 months ago"
  $ svc search "where is the office" --as-of 2026-01-31
  $ svc search tea --json | jq -r ".results[0].content"`;

/** `svc search`: what is remembered about a question, best first. */
export function searchCommand(context: CommandContext): Command {
  const past = (text: string) => parseTime(text, context.clock.nowMs(), 'past');
  return new Command('search')
    .description('find what is remembered, best first')
    .argument('<query...>', 'what to look for')
    .option('--limit <count>', 'how many results, 100 at most', readLimit, 10)
    .option('--user <name>', 'whose memories, where one account serves several people')
    .option('--tag <tag>', 'only with this tag; may be repeated', collect)
    .option('--after <time>', 'only from after this time', past)
    .option('--before <time>', 'only from before this time', past)
    .option('--as-of <time>', 'what was valid at this time', past)
    .option('--types <list>', 'what to look among: memory, message, episode', readTypes)
    .option('--explain', 'show what each signal gave to a score')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action(async (words: string[], options: SearchOptions) => {
      const client = await openClient(context, options);
      const query = words.join(' ');
      const answer = await client.search(requestOf(query, options));
      if (options.json) return printJson(context, answer);
      if (!context.terminal.isTty) return printRows(answer, context);
      if (answer.results.length === 0) return printNothing(query, options, client, context);
      await printCards(query, options, answer, context);
    });
}

function requestOf(query: string, options: SearchOptions): SearchRequest {
  const { limit, user, tag, after, before, asOf, types, explain } = options;
  const filter = { ...(tag && { tags: tag }), ...(after && { after }), ...(before && { before }) };
  return {
    query,
    limit,
    ...(user !== undefined && { user }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(asOf && { asOf }),
    ...(types && { types }),
    ...(explain && { explain }),
  };
}

function printRows({ results }: SearchAnswer, { terminal }: CommandContext): void {
  terminal.out(results.map((result) => `${memoryRow(resultAsMemory(result), String(result.score))}\n`).join(''));
}

async function printCards(
  query: string,
  { limit }: SearchOptions,
  { results, tookMs, learned }: SearchAnswer,
  context: CommandContext,
): Promise<void> {
  const look = renderOptions(context);
  const labels = shortIds(results.map(({ id }) => id));
  const cards = results.map((result) => {
    const label = labels.get(result.id)!;
    const more = signalBars(result, innerWidth(look.columns, label), look.style);
    return memoryCard(resultAsMemory(result), { label, query, more }, look);
  });
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  const further = results.length === limit && limit < 100 ? `; --limit ${Math.min(100, limit * 2)} shows more` : '';
  const told = [
    `${count} in ${Math.max(1, Math.round(tookMs))} ms${further}`,
    ...(learned ? [describeLearned(learned)] : []),
  ];
  const footer = told.flatMap((text) => wrap(text, look.columns)).join('\n');
  context.terminal.out(`${cards.join('\n\n')}\n\n${look.style.dim(footer)}\n`);
  await createRecentIds(context.settingsFolder).remember(results.map(({ id }) => id));
}

/** Nothing found can mean three things, and each has another remedy. */
async function printNothing(
  query: string,
  options: SearchOptions,
  client: Client,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const narrow = options.tag ?? options.after ?? options.before ?? options.user ?? options.asOf ?? options.types;
  const some = narrow !== undefined || (await client.memories.list({ limit: 1 })).data.length > 0;
  const advice =
    narrow !== undefined
      ? 'Nothing matches within these filters. Try fewer of them.'
      : some
        ? 'Try other words, or fewer: every word that matches helps, none is required.'
        : 'Nothing is remembered yet. The first one: svc add "Ada prefers oolong tea"';
  const lines = [...wrap(`Nothing found for “${query}”.`, terminal.columns), ...wrap(advice, terminal.columns)];
  terminal.out(`${lines.join('\n')}\n`);
}

function readLimit(text: string): number {
  const limit = parseCount(text);
  if (limit > 100) throw new InvalidArgumentError('At most 100.');
  return limit;
}

function readTypes(text: string): ItemType[] {
  const names = text.split(',').map((name) => name.trim());
  const types = ITEM_TYPES.filter((type) => names.includes(type));
  if (types.length !== names.length) throw new InvalidArgumentError(`Write some of ${ITEM_TYPES.join(',')}.`);
  return types;
}
