import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { printItems } from '../items/list-items.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { CONVERSATION, findId } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { wrap } from '../memory/terminal-text.ts';
import { EPISODES } from './episode-kind.ts';

const HELP = `
Cuts at pauses and changes of topic, without a model. From then on, svc extends
the episodes as messages are appended. Prints the episodes.

Examples:
  $ svc episodes cut 5b7c90ae`;

/** `svc episodes cut`: cuts a conversation into episodes. */
export function cutCommand(context: CommandContext): Command {
  return new Command('cut')
    .description('cut a conversation into episodes')
    .argument('<conversation>', 'its id, or the part that svc conversations shows')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string, options: CommonOptions) => {
      const client = await openClient(context, options);
      const id = await findId(typed, client, createRecentIds(context.settingsFolder), CONVERSATION);
      const answer = await client.conversations.cut(id);
      if (options.json) printJson(context, answer);
      else if (answer.data.length > 0 || !context.terminal.isTty) await printItems(answer.data, EPISODES, context);
      else {
        const text = 'No episodes: the conversation has no messages yet. It is cut while messages arrive.';
        context.terminal.out(`${wrap(text, context.terminal.columns).join('\n')}\n`);
      }
    });
}
