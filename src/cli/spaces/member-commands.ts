import { Argument, Command, Option } from 'commander';
import type { SpaceMember } from '../../client/client.ts';
import { ROLES_IN_SPACE, type SpaceRole } from '../../contract/space-names.ts';
import type { CommandContext } from '../command-context.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { printable } from '../memory/terminal-text.ts';
import { findMember, openSpace } from './find-space.ts';

interface InviteOptions extends CommonOptions {
  role: SpaceRole;
}

/** The commands for the members of a space. */
export function memberCommands(context: CommandContext): Command[] {
  return [membersCommand(context), inviteCommand(context), roleCommand(context), removeCommand(context)];
}

function withCommonOptions(command: Command, help: string): Command {
  return command
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', help);
}

function membersCommand(context: CommandContext): Command {
  const command = new Command('members').description('list the members of a space, and who is invited');
  return withCommonOptions(
    command,
    `
When output is not a terminal, it prints one line per member with tab-separated
fields: id, address, role, state.

Examples:
  $ svc space members
  $ svc space members --space team --json`,
  ).action(async (_: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const { terminal } = context;
    const { client, space } = await openSpace(context, options);
    const { data } = await client.spaces.members.list(space.id);
    if (options.json) return printJson(context, { data });
    if (!terminal.isTty) return terminal.out(data.map((member) => `${rowOf(member)}\n`).join(''));
    const { style } = renderOptions(context);
    const lines = data.map((member) => lineOf(member, context));
    terminal.out(`${style.bold(printable(space.name))}\n${lines.join('\n')}\n`);
  });
}

function inviteCommand(context: CommandContext): Command {
  const command = new Command('invite')
    .description('invite an address to a space, for 7 days')
    .argument('<email>', 'the address, to which svc mails a link')
    .addOption(
      new Option('--role <role>', 'what the member may do').choices([...ROLES_IN_SPACE]).default('writer' as SpaceRole),
    );
  return withCommonOptions(
    command,
    `
A reader searches and reads, a writer also adds, changes and erases memories, an
owner also manages members and keys. Only the account with this address can join.

Examples:
  $ svc space invite lin@example.com --space team
  $ svc space invite kim@example.com --role reader`,
  ).action(async (email: string, _: InviteOptions, self: Command) => {
    const options = self.optsWithGlobals<InviteOptions>();
    const { client, space } = await openSpace(context, options);
    const member = await client.spaces.members.invite(space.id, { email, role: options.role });
    if (options.json) return printJson(context, member);
    context.terminal.out(`Invited ${member.email} to “${printable(space.name)}” as ${member.role}, for 7 days.\n`);
  });
}

function roleCommand(context: CommandContext): Command {
  const command = new Command('role')
    .description('change the role of a member or an invitation')
    .argument('<email>', 'the address of the member')
    .addArgument(new Argument('<role>', 'what the member may do').choices([...ROLES_IN_SPACE]));
  return withCommonOptions(
    command,
    `
Examples:
  $ svc space role lin@example.com owner
  $ svc space role kim@example.com writer --space team`,
  ).action(async (email: string, role: SpaceRole, _: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const opened = await openSpace(context, options);
    const { id } = await findMember(opened, email);
    const member = await opened.client.spaces.members.update(opened.space.id, id, { role });
    if (options.json) return printJson(context, member);
    context.terminal.out(`${member.email} is ${member.role} of “${printable(opened.space.name)}” now.\n`);
  });
}

function removeCommand(context: CommandContext): Command {
  const command = new Command('remove')
    .description('remove a member at once, or withdraw an invitation')
    .argument('<email>', 'the address of the member');
  return withCommonOptions(
    command,
    `
What the member wrote stays in the space.

Examples:
  $ svc space remove lin@example.com
  $ svc space remove kim@example.com --space team --json`,
  ).action(async (email: string, _: CommonOptions, self: Command) => {
    const options = self.optsWithGlobals<CommonOptions>();
    const opened = await openSpace(context, options);
    const member = await findMember(opened, email);
    await opened.client.spaces.members.remove(opened.space.id, member.id);
    if (options.json) return printJson(context, { id: member.id, email: member.email, removed: true });
    const done = member.state === 'joined' ? 'Removed' : 'Withdrew the invitation of';
    context.terminal.out(`${done} ${member.email}.\n`);
  });
}

function rowOf({ id, email, role, state }: SpaceMember): string {
  return [id, email, role, state].join('\t');
}

function lineOf({ email, role, state, invitedBy, joinedAt, expiresAt }: SpaceMember, context: CommandContext): string {
  const { style, nowMs } = renderOptions(context);
  const when = (time: string | null) => formatRelativeTime(Date.parse(time ?? ''), nowMs);
  const since =
    state === 'joined' ? `joined ${when(joinedAt)}` : `invited by ${invitedBy}, can join until ${when(expiresAt)}`;
  return `  ${printable(email)}  ${style.dim(`${role}, ${printable(since)}`)}`;
}
