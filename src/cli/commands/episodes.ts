import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { cutCommand } from '../episodes/cut-conversation.ts';
import { EPISODES } from '../episodes/episode-kind.ts';
import { showEpisodeCommand } from '../episodes/show-episode.ts';
import { forgetItemsCommand } from '../items/forget-items.ts';
import { listItemsCommand } from '../items/list-items.ts';

const HELP = `
Without a command, lists the episodes. When output is not a terminal, it prints
one line per episode with tab-separated fields: id, start, end, user, project,
conversation, title.

Examples:
  $ svc episodes
  $ svc episodes cut 5b7c90ae
  $ svc episodes show 2f6d01ab
  $ svc episodes forget 2f6d01ab`;

/** `svc episodes`: lists episodes, shows and erases them, and cuts conversations into them. */
export function episodesCommand(context: CommandContext): Command {
  return new Command('episodes')
    .description('list episodes, show or erase them, cut conversations into them')
    .addHelpText('after', HELP)
    .addCommand(listItemsCommand(context, EPISODES), { isDefault: true })
    .addCommand(showEpisodeCommand(context))
    .addCommand(cutCommand(context))
    .addCommand(forgetItemsCommand(context, EPISODES));
}
