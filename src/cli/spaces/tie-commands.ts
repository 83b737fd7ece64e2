import { resolve } from 'node:path';
import { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { projectFolder } from '../hook/project-name.ts';
import { type CommonOptions, JSON_OPTION, openOwnClient, printJson } from '../memory/command-options.ts';
import { printable, wrap } from '../memory/terminal-text.ts';
import { openSettings } from '../settings.ts';
import { findSpace, requireJoined } from './find-space.ts';

const TIE_HELP = `
On this machine, hooks then store in the space what is said in the project, instead
of in your own account, and recall from it; every session begins with saying so.
To recall from your own account as well, add svc space read --project default: what
an answer repeats of that is stored in the space. The tie is in your settings, not
in the project, which cannot tie itself. It is about the whole git repository with
its worktrees, otherwise about the folder. It belongs to the account that hooks
use, your current profile.

Examples:
  $ svc space tie team
  $ svc space untie`;

/** `svc space tie`: ties the project in this folder to a space, for hooks. */
export function tieCommand(context: CommandContext): Command {
  return new Command('tie')
    .description('share the memory of the project in this folder with a space')
    .argument('<name>', 'the name or id of the space')
    .option(...JSON_OPTION)
    .addHelpText('after', TIE_HELP)
    .action(async (name: string, _: CommonOptions, self: Command) => {
      const { json } = self.optsWithGlobals<CommonOptions>();
      const { environment, terminal } = context;
      const space = await findSpace(await openOwnClient(context, {}), name);
      requireJoined(space);
      const folder = await projectFolder(environment.cwd);
      await openSettings(environment).tie(folder, { id: space.id, name: space.name });
      if (json) return printJson(context, { folder, space });
      const stored =
        space.role === 'reader'
          ? 'Hooks recall from it. You are reader of it, so they store nothing.'
          : 'Hooks recall from it, and store in it what is said in the project.';
      const text = `Tied ${printable(folder)} to the space “${printable(space.name)}”. ${stored} svc space untie ends that.`;
      terminal.out(`${wrap(text, terminal.columns).join('\n')}\n`);
    });
}

/** `svc space untie`: lets hooks use the own account again in a project. */
export function untieCommand(context: CommandContext): Command {
  return new Command('untie')
    .description('end the tie of the project in this folder, or in another')
    .argument('[folder]', 'a folder of the project, also if it is gone')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Hooks then use your own account. What they stored in the space stays there.

Examples:
  $ svc space untie
  $ svc space untie ~/tea`,
    )
    .action(async (typed: string | undefined, _: CommonOptions, self: Command) => {
      const { json } = self.optsWithGlobals<CommonOptions>();
      const { environment, terminal } = context;
      const settings = openSettings(environment);
      const path = resolve(environment.cwd, typed ?? '');
      const ties = settings.ties();
      const folder = Object.hasOwn(ties, path) ? path : await projectFolder(path);
      const tie = ties[folder];
      if (!tie) {
        throw new CommandFailure(EXIT.failed, `${folder} is not tied to a space. svc status lists what is.`);
      }
      await settings.tie(folder, undefined);
      if (json) return printJson(context, { folder, space: null });
      terminal.out(`Untied from the space “${printable(tie.name)}”: hooks use your own account here again.\n`);
    });
}
