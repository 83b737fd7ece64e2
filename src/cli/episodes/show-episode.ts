import { Command } from 'commander';
import type { Episode } from '../../contract/episodes.ts';
import { parseTimestamp } from '../../lib/clock.ts';
import type { CommandContext } from '../command-context.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { EPISODE, findId } from '../memory/find-id.ts';
import type { RenderOptions } from '../memory/memory-card.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { formatTimeWithDate } from '../memory/relative-time.ts';
import { printable, wrap } from '../memory/terminal-text.ts';
import { type Field, formatFields } from '../output.ts';

const HELP = `
Examples:
  $ svc episodes show 2f6d01ab
  $ svc episodes show 2f6d01ab --json | jq -r .summary`;

/** Longer lines are hard to read. */
const MAX_WIDTH = 100;

/** `svc episodes show`: prints an episode with its summary, outcome and every field that is set. */
export function showEpisodeCommand(context: CommandContext): Command {
  return new Command('show')
    .description('show one episode in full')
    .argument('<id>', 'its id, or the part shown in lists')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string, options: CommonOptions) => {
      const client = await openClient(context, options);
      const id = await findId(typed, client, createRecentIds(context.settingsFolder), EPISODE);
      const episode = await client.episodes.get(id);
      if (options.json) printJson(context, episode);
      else context.terminal.out(`${episodeDetail(episode, renderOptions(context))}\n`);
    });
}

function episodeDetail(episode: Episode, { columns, style, nowMs }: RenderOptions): string {
  const width = Math.max(16, Math.min(columns, MAX_WIDTH));
  const title = wrap(printable(episode.title), width).map(style.bold);
  const summary = episode.summary ? ['', ...wrap(printable(episode.summary), width)] : [];
  const fields = fieldsOf(episode, nowMs)
    .filter(([, value]) => value !== '')
    .map(([label, value]): Field => [label, printable(value)]);
  return [...title, ...summary, '', ...formatFields(fields, width, style)].join('\n');
}

function fieldsOf(episode: Episode, nowMs: number): [string, string][] {
  const formatTime = (timestamp: string) => formatTimeWithDate(parseTimestamp(timestamp) ?? nowMs, nowMs);
  const { metadata, cut, conversationId } = episode;
  return [
    ['outcome', episode.outcome ?? ''],
    ['id', episode.id],
    ['user', episode.user],
    ['project', episode.project ?? ''],
    ['started', formatTime(episode.startedAt)],
    ['ended', formatTime(episode.endedAt)],
    ['conversation', conversationId === null ? '' : `${conversationId}${cut ? ', cut by svc' : ''}`],
    ['memories', episode.memoryIds.join(' ')],
    ['metadata', Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata)],
  ];
}
