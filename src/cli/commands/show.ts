import { Command } from 'commander';
import type { Memory } from '../../contract/memories.ts';
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
import { findId } from '../memory/find-id.ts';
import { memoryDetail, memoryHistory } from '../memory/memory-detail.ts';
import { createRecentIds } from '../memory/recent-ids.ts';

interface ShowOptions extends CommonOptions {
  history?: true;
}

const HELP = `
The beginning or end of an id is enough, as lists show it.

Examples:
  $ svc show 8c1f04d2
  $ svc show 8c1f04d2 --history
  $ svc show 8c1f04d2 --json | jq -r .content`;

/** `svc show`: one memory in full, or all its versions. */
export function showCommand(context: CommandContext): Command {
  return new Command('show')
    .description('show one memory in full')
    .argument('<id>', 'its id, or the part shown in lists')
    .option('--history', 'show all versions, newest first')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action(async (typed: string, options: ShowOptions) => {
      const client = await openClient(context, options);
      const id = await findId(typed, client, createRecentIds(context.settingsFolder));
      if (options.history) {
        const data: Memory[] = [];
        for await (const version of client.memories.history(id)) data.push(version);
        if (options.json) printJson(context, { data });
        else context.terminal.out(`${memoryHistory(data, renderOptions(context))}\n`);
        return;
      }
      const memory = await client.memories.get(id);
      if (options.json) printJson(context, memory);
      else context.terminal.out(`${memoryDetail(memory, renderOptions(context))}\n`);
    });
}
