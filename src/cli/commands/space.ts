import { Command } from 'commander';
import type { Space } from '../../client/client.ts';
import { formatSize } from '../../contract/byte-size.ts';
import { OWN_SPACE } from '../../contract/space-names.ts';
import type { CommandContext } from '../command-context.ts';
import { requireTerminal, YES_OPTION } from '../confirmation.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import {
  type CommonOptions,
  clientOf,
  JSON_OPTION,
  openOwnClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { oneLine, printable, wrap } from '../memory/terminal-text.ts';
import { openSettings } from '../settings.ts';
import { copyCommand, logCommand } from '../spaces/content-commands.ts';
import { findSpace, openSpace, requireJoined } from '../spaces/find-space.ts';
import { memberCommands } from '../spaces/member-commands.ts';
import { readCommand } from '../spaces/read-command.ts';
import { tieCommand, untieCommand } from '../spaces/tie-commands.ts';

interface DeleteOptions extends CommonOptions {
  yes?: true;
}

const HELP = `
A space is a memory that several accounts share. Commands act in your own account
unless --space NAME, SVC_SPACE or svc space use names a space; then they say so.
Without a command, lists your spaces and invitations. When output is not a
terminal, it prints one line per space with tab-separated fields: id, name, role,
state, members.

Examples:
  $ svc space
  $ svc space create team
  $ svc space invite lin@example.com --space team
  $ svc search "when do we deploy" --space team
  $ svc space use team`;

/** `svc space`: lists spaces, and manages them with their members. */
export function spaceCommand(context: CommandContext): Command {
  const command = new Command('space')
    .description('list the memories that you share with others, and manage them')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action((options: CommonOptions) => list(options, context));
  const commands = [
    ...[createCommand(context), joinCommand(context), leaveCommand(context), chooseCommand(context)],
    ...[...memberCommands(context), copyCommand(context), logCommand(context)],
    ...[
      tieCommand(context),
      untieCommand(context),
      readCommand(context),
      renameCommand(context),
      deleteCommand(context),
    ],
  ];
  for (const one of commands) command.addCommand(one);
  return command;
}

function withAccountOptions(command: Command, help: string): Command {
  return command
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', help);
}

function createCommand(context: CommandContext): Command {
  const command = new Command('create')
    .description('make a space, of which you are owner')
    .argument('<name>', 'its name');
  return withAccountOptions(
    command,
    `
Examples:
  $ svc space create team
  $ svc space create "Tea room" --json`,
  ).action(async (name: string, _: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const space = await (await openOwnClient(context, options)).spaces.create({ name });
    if (options.json) return printJson(context, space);
    const word = wordOf(space.name);
    print(`Made the space “${printable(name)}”. Invite others: svc space invite EMAIL --space ${word}`, context);
  });
}

function joinCommand(context: CommandContext): Command {
  const command = new Command('join')
    .description('accept an invitation')
    .argument('<name>', 'the name or id of the space');
  return withAccountOptions(
    command,
    `
Examples:
  $ svc space join team`,
  ).action(async (name: string, _: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const client = await openOwnClient(context, options);
    const space = await client.spaces.join((await findSpace(client, name)).id);
    if (options.json) return printJson(context, space);
    const where = `svc search … --space ${wordOf(space.name)}`;
    print(`You are ${space.role} of “${printable(space.name)}” now. Act there with ${where}`, context);
  });
}

function leaveCommand(context: CommandContext): Command {
  const command = new Command('leave')
    .description('leave a space, or decline an invitation')
    .argument('<name>', 'the name or id of the space');
  return withAccountOptions(
    command,
    `
What you wrote stays in the space, with your address.

Examples:
  $ svc space leave team`,
  ).action(async (name: string, _: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const session = await context.session(options.profile, OWN_SPACE);
    const client = clientOf(session, context.terminal);
    const space = await findSpace(client, name);
    await client.spaces.leave(space.id);
    await stopUsing(space, session.profileName, context);
    if (options.json) return printJson(context, { id: space.id, left: true });
    const done = space.state === 'joined' ? 'Left' : 'Declined the invitation to';
    print(`${done} “${printable(space.name)}”.`, context);
  });
}

function chooseCommand(context: CommandContext): Command {
  const command = new Command('use')
    .description('choose the space that commands act in on this machine')
    .argument('<name>', 'the name or id of the space, or default for your own account');
  return withAccountOptions(
    command,
    `
Every command then begins with the name of the space on standard error. Hooks, the
assistants that svc mcp-config set up and running services do not follow: they act
in your own account, or where svc space tie, svc space read, --space and SVC_SPACE
say.

Examples:
  $ svc space use team
  $ svc space use default`,
  ).action(async (name: string, _: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const settings = openSettings(context.environment);
    const session = await context.session(options.profile, OWN_SPACE);
    if (!settings.profile(session.profileName)) {
      throw new CommandFailure(EXIT.usage, 'The key comes from SVC_API_KEY: name the space with SVC_SPACE instead.');
    }
    const space = name === OWN_SPACE ? undefined : await findSpace(clientOf(session, context.terminal), name);
    if (space) requireJoined(space);
    await settings.chooseSpace(session.profileName, space && { id: space.id, name: space.name });
    if (settings.overrides.space !== undefined) {
      context.terminal.error('SVC_SPACE is set, and takes precedence.\n');
    }
    if (options.json) return printJson(context, { space: space ?? null });
    if (!space) return print('Commands act in your own account.', context);
    print(`Commands act in the space “${printable(space.name)}”. svc space use default ends that.`, context);
  });
}

function renameCommand(context: CommandContext): Command {
  const command = new Command('rename')
    .description('rename a space, for owners')
    .argument('<name>', 'the new name')
    .option(...SPACE_OPTION);
  return withAccountOptions(
    command,
    `
Examples:
  $ svc space rename "Tea room" --space team`,
  ).action(async (name: string, _: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const { client, space } = await openSpace(context, options);
    const renamed = await client.spaces.update(space.id, { name });
    if (options.json) return printJson(context, renamed);
    print(`“${printable(space.name)}” is named “${printable(renamed.name)}” now.`, context);
  });
}

function deleteCommand(context: CommandContext): Command {
  const command = new Command('delete')
    .description('erase a space with everything in it, for owners')
    .option(...YES_OPTION)
    .option(...SPACE_OPTION);
  return withAccountOptions(
    command,
    `
Erases it for all members, at once and for good. Asks to type its name; --yes
skips that and is required when input is not a terminal.

Examples:
  $ svc space delete --space team
  $ svc space delete --space team --yes --json`,
  ).action(async (_: DeleteOptions, self: Command) => {
    const options = self.optsWithGlobals<DeleteOptions>();
    if (!options.yes) requireTerminal(context.input);
    const { client, space, profileName } = await openSpace(context, options);
    if (!options.yes) await requireTyped(space, context);
    await client.spaces.delete(space.id);
    await stopUsing(space, profileName, context);
    if (options.json) return printJson(context, { id: space.id, deleted: true });
    print(`Erased the space “${printable(space.name)}”.`, context);
  });
}

async function requireTyped({ name, members, storedBytes }: Space, { input, terminal }: CommandContext): Promise<void> {
  const shared = `${plural(members ?? 1, 'member')}, ${formatSize(storedBytes ?? 0)}`;
  terminal.error(`“${printable(name)}” (${shared}) will be erased for everyone, for good.\n`);
  if ((await input.ask('Type its name to erase it: ')).trim() === name) return;
  throw new CommandFailure(EXIT.failed, 'That is not its name. Nothing was erased.');
}

/**
 * Acts in the own account again, if commands acted in a space that the account is no longer in, reads it no longer, and names
 * the projects that are still tied to it.
 */
async function stopUsing({ id }: Space, profileName: string, { environment, terminal }: CommandContext): Promise<void> {
  const settings = openSettings(environment);
  if (settings.profile(profileName)?.space?.id === id) await settings.chooseSpace(profileName, undefined);
  for (const [folder, tie] of Object.entries(settings.ties())) {
    if (tie.id !== id) continue;
    terminal.error(`${printable(folder)} is still tied to it, and has no memory until svc space untie ${folder}\n`);
  }
  for (const [folder, spaces] of Object.entries(settings.reads())) {
    const left = spaces.filter((space) => space.id !== id);
    if (left.length < spaces.length) await settings.read(folder, left.length > 0 ? left : undefined);
  }
}

async function list(options: CommonOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const session = await context.session(options.profile, options.space);
  const { data } = await clientOf(session, terminal).spaces.list();
  const isActing = ({ id, name }: Space) => session.space?.key === id || session.space?.key === name;
  if (options.json) return printJson(context, { data, inUse: data.find(isActing)?.id ?? null });
  if (!terminal.isTty) return terminal.out(data.map((space) => `${rowOf(space)}\n`).join(''));
  if (data.length === 0)
    return print('You are in no space. Make one to share memories: svc space create team', context);
  terminal.out(`${data.map((space) => linesOf(space, isActing(space), context)).join('\n')}\n`);
}

function rowOf({ id, name, role, state, members }: Space): string {
  return [id, oneLine(name), role, state, members ?? ''].join('\t');
}

function linesOf(
  { id, name, role, state, invitedBy, members, storedBytes }: Space,
  isActing: boolean,
  context: CommandContext,
) {
  const { style } = renderOptions(context);
  const title = `${style.bold(printable(name))}${isActing ? ' (commands act here)' : ''}`;
  const facts =
    state === 'joined'
      ? `${role}, ${plural(members ?? 1, 'member')}, ${formatSize(storedBytes ?? 0)}`
      : `invited as ${role} by ${invitedBy}: svc space join ${wordOf(name)}`;
  return `${title}\n  ${printable(facts)}\n  ${style.dim(id)}`;
}

function print(text: string, { terminal }: CommandContext): void {
  terminal.out(`${wrap(text, terminal.columns).join('\n')}\n`);
}

/** The name as a word of a command line. */
function wordOf(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
