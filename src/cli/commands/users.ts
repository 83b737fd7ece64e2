import { Command } from 'commander';
import type { User } from '../../contract/users.ts';
import type { CommandContext } from '../command-context.ts';
import { requireTerminal, requireYes, YES_OPTION } from '../confirmation.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
  SPACE_OPTION,
} from '../memory/command-options.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { oneLine, printable } from '../memory/terminal-text.ts';

interface ForgetOptions extends CommonOptions {
  yes?: true;
}

const HELP = `
Without a command, lists the users. When output is not a terminal, it prints one
line per user with tab-separated fields: memories, conversations, messages,
episodes, last seen, name.

Examples:
  $ svc users
  $ svc users forget ada`;

const FORGET_HELP = `
Erases memories with their history, conversations, episodes and what the ranking
learned. Shows how much and asks first; --yes skips the question and is required
when input is not a terminal.

Examples:
  $ svc users forget ada
  $ svc users forget ada --yes --json`;

/** `svc users`: lists the end users of the account, and erases one. */
export function usersCommand(context: CommandContext): Command {
  return new Command('users')
    .description('list the end users of the account, or erase one')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', HELP)
    .action((options: CommonOptions) => list(options, context))
    .addCommand(forgetUserCommand(context));
}

function forgetUserCommand(context: CommandContext): Command {
  return new Command('forget')
    .description('erase a user with everything stored and learned')
    .argument('<user>', 'the name of the user')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .option(...SPACE_OPTION)
    .addHelpText('after', FORGET_HELP)
    .action(async (name: string, _: ForgetOptions, command: Command) => {
      const options = command.optsWithGlobals<ForgetOptions>();
      if (!options.yes) requireTerminal(context.input);
      const client = await openClient(context, options);
      const { data: user, response } = await client.users.get(name).withResponse();
      if (!options.yes) await requireConfirmed(user, context);
      await client.users.delete(name, options.yes ? {} : { ifMatch: response.etag });
      if (options.json) printJson(context, { user: name, deleted: true });
      else context.terminal.out('Forgotten.\n');
    });
}

async function list(options: CommonOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const client = await openClient(context, options);
  const users: User[] = [];
  for await (const user of client.users.list({ limit: 200 })) users.push(user);
  if (options.json) printJson(context, { data: users });
  else if (!terminal.isTty) terminal.out(users.map((user) => `${rowOf(user)}\n`).join(''));
  else if (users.length > 0) terminal.out(`${users.map((user) => lineOf(user, context)).join('\n')}\n`);
  else terminal.out('No users yet.\n');
}

async function requireConfirmed(user: User, context: CommandContext): Promise<void> {
  context.terminal.error(`${lineOf(user, context)}\n\n`);
  await requireYes(context.input, 'Forget this user permanently?', 'Nothing was forgotten.');
}

function rowOf({ user, memories, conversations, messages, episodes, lastSeenAt }: User): string {
  return [memories, conversations, messages, episodes, lastSeenAt ?? '', oneLine(user)].join('\t');
}

function lineOf(
  { user, memories, conversations, messages, episodes, lastSeenAt }: User,
  context: CommandContext,
): string {
  const { style, nowMs } = renderOptions(context);
  const counts = `${memories} memories, ${conversations} conversations, ${messages} messages, ${episodes} episodes`;
  const seen = lastSeenAt === null ? '' : `, last seen ${formatRelativeTime(Date.parse(lastSeenAt), nowMs)}`;
  return `${style.bold(printable(user))}\n  ${counts}${seen}`;
}
