import { Command, InvalidArgumentError } from 'commander';
import type { Client } from '../../client/client.ts';
import type { SearchAnswer, SearchRequest } from '../../contract/search.ts';
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
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { innerWidth, memoryCard } from '../memory/memory-card.ts';
import { memoryRow } from '../memory/memory-row.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { resultAsMemory } from '../memory/result-as-memory.ts';
import { shortIds } from '../memory/short-id.ts';
import { describeLearned, describeMeaning, signalBars } from '../memory/signal-bars.ts';
import { wrap } from '../memory/terminal-text.ts';
import { parseTime } from '../memory/time-option.ts';

interface SearchOptions extends CommonOptions {
  wording?: string[];
  limit: number;
  user?: string;
  project?: string;
  tag?: string[];
  after?: string;
  before?: string;
  asOf?: string;
  types?: ItemType[];
  explain?: true;
}

const HELP = `
When output is not a terminal, it prints one line per result with tab-separated
fields: id, score, time, user, tags, content.

Examples:
  $ svc search oolong
  $ svc search what does Ada drink --limit 3 --explain
  $ svc search "where do I live" --wording "our home" --wording "house, street"
  $ svc search office --tag work --after "3 months ago"
  $ svc search "where is the office" --as-of 2026-01-31
  $ svc search tea --json | jq -r ".results[0].content"`;

/** `svc search`: searches memories, best match first. */
export function searchCommand(context: CommandContext): Command {
  const past = (text: string) => parseTime(text, context.clock.nowMs(), 'past');
  return new Command('search')
    .description('search memories, best match first')
    .argument('<query...>', 'what to search for')
    .option('--limit <count>', 'how many results, at most 100', readLimit, 10)
    .option('--wording <text>', 'other words in which it may have been told; repeatable', collect)
    .option('--user <name>', 'whose memories, if the account serves several users')
    .option('--project <name>', 'only what belongs to this project or to none')
    .option('--tag <tag>', 'only results with this tag; repeatable', collect)
    .option('--after <time>', 'only results after this time', past)
    .option('--before <time>', 'only results before this time', past)
    .option('--as-of <time>', 'search what was valid at this time', past)
    .option('--types <list>', 'comma-separated types to search: memory, message, episode', parseTypes)
    .option('--explain', 'show what each signal contributed to the score')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (words: string[], options: SearchOptions) => {
      const query = words.join(' ').trim();
      if (query === '')
        throw new CommandFailure(EXIT.usage, 'What to search for is missing: svc search "what does Ada drink"');
      const client = await openClient(context, options);
      const answer = await client.search(requestOf(query, options));
      if (options.json) return printJson(context, answer);
      if (!context.terminal.isTty) return printRows(answer, context);
      if (answer.results.length === 0) return printNothing(query, options, client, context);
      await printCards(query, options, answer, context);
    });
}

function requestOf(query: string, options: SearchOptions): SearchRequest {
  const { wording, limit, user, project, tag, after, before, asOf, types, explain } = options;
  const filter = { ...(tag && { tags: tag }), ...(after && { after }), ...(before && { before }) };
  return {
    query,
    limit,
    ...(wording && { wordings: wording }),
    ...(user !== undefined && { user }),
    ...(project !== undefined && { project }),
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
  { results, tookMs, learned, meaning }: SearchAnswer,
  context: CommandContext,
): Promise<void> {
  const look = renderOptions(context);
  const labels = shortIds(results.map(({ id }) => id));
  const cards = results.map((result) => {
    const label = labels.get(result.id)!;
    const more = signalBars(result, innerWidth(look.columns, label), look.style);
    const words = [query, ...(result.why?.related ?? []).map(({ word }) => word)].join(' ');
    return memoryCard(resultAsMemory(result), { label, query: words, more }, look);
  });
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  const further = results.length === limit && limit < 100 ? `; --limit ${Math.min(100, limit * 2)} shows more` : '';
  const summary = [
    `${count} in ${Math.max(1, Math.round(tookMs))} ms${further}`,
    ...(learned ? [describeLearned(learned)] : []),
    ...(meaning ? [describeMeaning(meaning)] : []),
  ];
  const footer = summary.flatMap((text) => wrap(text, look.columns)).join('\n');
  context.terminal.out(`${cards.join('\n\n')}\n\n${look.style.dim(footer)}\n`);
  await createRecentIds(context.settingsFolder).remember(results.map(({ id }) => id));
}

/** Explains an empty result: filters too narrow, words that do not match, or no memories at all. */
async function printNothing(
  query: string,
  options: SearchOptions,
  client: Client,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const filtered =
    options.tag ?? options.after ?? options.before ?? options.user ?? options.project ?? options.asOf ?? options.types;
  const hasMemories = filtered !== undefined || (await client.memories.list({ limit: 1 })).data.length > 0;
  const advice =
    filtered !== undefined
      ? 'Try removing some of the filters.'
      : hasMemories
        ? 'Try other words. Not every word has to match.'
        : 'No memories yet. Add one: svc add "Ada prefers oolong tea"';
  const lines = [...wrap(`No results for “${query}”.`, terminal.columns), ...wrap(advice, terminal.columns)];
  terminal.out(`${lines.join('\n')}\n`);
}

function readLimit(text: string): number {
  const limit = parseCount(text);
  if (limit > 100) throw new InvalidArgumentError('At most 100.');
  return limit;
}
