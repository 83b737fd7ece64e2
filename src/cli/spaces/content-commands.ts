import { Command } from 'commander';
import type { SpaceLogEntry } from '../../client/client.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  PROFILE_OPTION,
  parseCount,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { findId } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { printable } from '../memory/terminal-text.ts';
import { openSpace } from './find-space.ts';

interface LogOptions extends CommonOptions {
  limit: number;
}

/** `svc space copy`: copies memories of the own account into a space. */
export function copyCommand(context: CommandContext): Command {
  return new Command('copy')
    .description('copy memories of your own account into a space')
    .argument('<id...>', 'their ids, or the parts shown in lists')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText(
      'after',
      `
The originals stay. Each copy has the id of its original as copiedFrom in its
metadata, and you as its author.

Examples:
  $ svc space copy 9b0015cd 11f3a2c4 --space team`,
    )
    .action(async (typed: string[], _: CommonOptions, self: Command) => {
      const options = self.optsWithGlobals<CommonOptions>();
      const { client, space } = await openSpace(context, options);
      const recentIds = createRecentIds(context.settingsFolder);
      const ids = new Set<string>();
      for (const text of typed) ids.add(await findId(text, client, recentIds));
      const { data, notFound } = await client.spaces.copy(space.id, [...ids]);
      const count = data.length === 1 ? '1 memory' : `${data.length} memories`;
      if (options.json) printJson(context, { data, notFound });
      else if (data.length > 0) context.terminal.out(`Copied ${count} into “${printable(space.name)}”.\n`);
      if (notFound.length === 0) return;
      throw new CommandFailure(EXIT.failed, `Your own account has no memory ${notFound.join(', ')}.`);
    });
}

/** `svc space log`: lists who did what in a space. */
export function logCommand(context: CommandContext): Command {
  return new Command('log')
    .description('list who invited, joined, changed roles and left, for owners')
    .option('--limit <count>', 'how many entries', parseCount, 50)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText(
      'after',
      `
The latest first, of 400 days. When output is not a terminal, it prints one line
per entry with tab-separated fields: time, who, action, whom, detail.

Examples:
  $ svc space log --space team
  $ svc space log --limit 500 --json`,
    )
    .action(async (_: LogOptions, self: Command) => {
      const options = self.optsWithGlobals<LogOptions>();
      const { client, space } = await openSpace(context, options);
      const entries: SpaceLogEntry[] = [];
      for await (const entry of client.spaces.log(space.id, { limit: Math.min(options.limit, 200) })) {
        entries.push(entry);
        if (entries.length === options.limit) break;
      }
      if (options.json) return printJson(context, { data: entries });
      const lines = entries.map((entry) => (context.terminal.isTty ? lineOf(entry, context) : rowOf(entry)));
      context.terminal.out(lines.map((line) => `${line}\n`).join(''));
    });
}

function rowOf({ at, actor, action, subject, detail }: SpaceLogEntry): string {
  return [at, actor, action, subject ?? '', detail ?? ''].map(printable).join('\t');
}

const ACTIONS: Record<SpaceLogEntry['action'], string> = {
  created: 'made the space',
  renamed: 'renamed the space',
  invited: 'invited',
  joined: 'joined',
  declined: 'declined the invitation',
  changedRole: 'changed the role of',
  removed: 'removed',
  left: 'left',
  copied: 'copied memories into the space',
  exported: 'exported the space',
  imported: 'imported into the space',
};

function lineOf({ at, actor, action, subject, detail }: SpaceLogEntry, context: CommandContext): string {
  const { style, nowMs } = renderOptions(context);
  const what = [actor, ACTIONS[action], ...(subject === null ? [] : [subject])].join(' ');
  const more = detail === null ? '' : ` (${detail})`;
  return `${printable(what + more)}  ${style.dim(formatRelativeTime(Date.parse(at), nowMs))}`;
}
