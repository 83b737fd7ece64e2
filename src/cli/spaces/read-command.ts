import { Command } from 'commander';
import type { Client } from '../../client/client.ts';
import { MAX_READ_SPACES, OWN_SPACE } from '../../contract/space-names.ts';
import type { KnownSpace } from '../acting-space.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { projectFolder } from '../hook/project-name.ts';
import { type CommonOptions, JSON_OPTION, openOwnClient, printJson } from '../memory/command-options.ts';
import { printable, wrap } from '../memory/terminal-text.ts';
import { EVERYWHERE, OWN_ACCOUNT, openSettings } from '../settings.ts';
import { findSpace, requireJoined } from './find-space.ts';

interface ReadOptions extends CommonOptions {
  project?: true;
  reset?: true;
}

const HELP = `
Hooks on this machine then recall from all of these together, and say of each
memory which space it is of. At most ${MAX_READ_SPACES}; default is your own account. What is said
is stored where it was before: in your own account, or in the space that svc space
tie named. Without --project the list is for all projects that are not tied and
have no list of their own. A tied project reads its space, and what its list names:
what an answer repeats of that is stored in the space. svc status shows the lists.

Examples:
  $ svc space read default team family      read your own account and two spaces everywhere
  $ svc space read --project default        in this tied project, read your own account too
  $ svc space read --project --reset        forget the list of this project`;

/** `svc space read`: chooses the spaces that hooks read together. */
export function readCommand(context: CommandContext): Command {
  return new Command('read')
    .description('choose the spaces that hooks recall from on this machine')
    .argument('[names...]', 'names or ids of spaces; default for your own account')
    .option('--project', 'only for the project in this folder')
    .option('--reset', 'forget the list')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action(async (names: string[], _: ReadOptions, self: Command) => {
      const { json, project, reset } = self.optsWithGlobals<ReadOptions>();
      const { environment, terminal } = context;
      if ((names.length === 0) !== (reset === true)) {
        throw new CommandFailure(EXIT.usage, 'Name what to read, or --reset.');
      }
      const settings = openSettings(environment);
      const folder = project ? await projectFolder(environment.cwd) : EVERYWHERE;
      const tie = project ? settings.ties()[folder] : undefined;
      const spaces = reset ? undefined : await findAll(await openOwnClient(context, {}), names);
      const count = new Set([...(spaces ?? []), ...(tie ? [tie] : [])].map(({ id }) => id)).size;
      if (count > MAX_READ_SPACES) {
        const also = tie ? `, the tied one included` : '';
        throw new CommandFailure(
          EXIT.usage,
          `At most ${MAX_READ_SPACES} spaces are read together${also}; got ${count}.`,
        );
      }
      await settings.read(folder, spaces);
      if (json) return printJson(context, { project: project ? folder : null, spaces: spaces ?? null });
      const where = project ? `in ${printable(folder)}` : 'in projects without a list of their own';
      const what = spaces ? `read ${spaces.map(nameOf).join(', ')}` : 'read what they did without the list';
      terminal.out(`${wrap(`Hooks ${what} ${where}.`, terminal.columns).join('\n')}\n`);
    });
}

async function findAll(client: Client, names: readonly string[]): Promise<KnownSpace[]> {
  const found = new Map<string, KnownSpace>();
  for (const name of names) {
    if (name === OWN_SPACE) {
      found.set(OWN_ACCOUNT.id, OWN_ACCOUNT);
      continue;
    }
    const space = await findSpace(client, name);
    requireJoined(space);
    found.set(space.id, { id: space.id, name: space.name });
  }
  return [...found.values()];
}

/** How a space is named among those that are read. */
function nameOf({ id, name }: KnownSpace): string {
  return id === OWN_SPACE ? 'your own account' : `“${printable(name)}”`;
}
