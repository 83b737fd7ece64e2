import { Command } from 'commander';
import type { Connection } from '../../contract/connections.ts';
import type { CommandContext } from '../command-context.ts';
import {
  type CommonOptions,
  JSON_OPTION,
  openOwnClient,
  PROFILE_OPTION,
  printJson,
  renderOptions,
} from '../memory/command-options.ts';
import { CONNECTION, findId } from '../memory/find-id.ts';
import { createRecentIds } from '../memory/recent-ids.ts';
import { formatRelativeTime } from '../memory/relative-time.ts';
import { shortIds } from '../memory/short-id.ts';
import { printable } from '../memory/terminal-text.ts';

const HELP = `
Connections are what may use your account besides the API key: browsers that are
signed in to the web app, devices that svc login --device connected, and
assistants that you allowed with OAuth. Without a command, lists them. When
output is not a terminal, it prints one line per connection with tab-separated
fields: id, kind, last used, client, and for assistants the host that vouches for
the name, or "unverified".

Examples:
  $ svc connections
  $ svc connections revoke 9b0015cd`;

const REVOKE_HELP = `
Ends the connections at once. Your API key does not change. A device can revoke
itself and the browsers it opened; for others, use the API key or the web app.

Examples:
  $ svc connections revoke 9b0015cd`;

/** `svc connections`: lists what may use the account besides its key, and ends it. */
export function connectionsCommand(context: CommandContext): Command {
  return new Command('connections')
    .description('list what may use your account besides the API key, or end it')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', HELP)
    .action((options: CommonOptions) => list(options, context))
    .addCommand(revokeCommand(context));
}

function revokeCommand(context: CommandContext): Command {
  return new Command('revoke')
    .description('end connections')
    .argument('<id...>', 'ids as svc connections shows them')
    .option(...JSON_OPTION)
    .option(...PROFILE_OPTION)
    .addHelpText('after', REVOKE_HELP)
    .action(async (typed: string[], _: CommonOptions, command: Command) => {
      const options = command.optsWithGlobals<CommonOptions>();
      const client = await openOwnClient(context, options);
      const recentIds = createRecentIds(context.settingsFolder);
      const ids: string[] = [];
      for (const one of typed) ids.push(await findId(one, client, recentIds, CONNECTION));
      for (const id of ids) await client.connections.delete(id);
      if (options.json) printJson(context, { revoked: ids });
      else context.terminal.out(`Revoked ${ids.length === 1 ? 'the connection' : `${ids.length} connections`}.\n`);
    });
}

async function list(options: CommonOptions, context: CommandContext): Promise<void> {
  const { terminal } = context;
  const client = await openOwnClient(context, options);
  const found: Connection[] = [];
  for await (const connection of client.connections.list({ limit: 200 })) found.push(connection);
  if (options.json) return printJson(context, { data: found });
  if (!terminal.isTty) return terminal.out(found.map((one) => `${rowOf(one)}\n`).join(''));
  if (found.length === 0) return terminal.out('No connections. Only the API key may use this account.\n');
  const short = shortIds(found.map(({ id }) => id));
  terminal.out(`${found.map((one) => lineOf(one, short.get(one.id)!, context)).join('\n')}\n`);
}

function rowOf({ id, kind, lastUsedAt, client, verifiedHost }: Connection): string {
  const host = kind === 'oauth' ? [verifiedHost ?? 'unverified'] : [];
  return [id, kind, lastUsedAt, client, ...host].join('\t');
}

const KINDS: Record<Connection['kind'], string> = {
  page: 'web app, signed in',
  device: 'device, connected',
  oauth: 'assistant, connected',
};

/** Says who vouches for the name of an assistant: it may have chosen the name itself. */
function vouchedFor({ kind, verifiedHost }: Connection): string {
  if (kind !== 'oauth') return '';
  return verifiedHost === null ? ' (unverified name)' : ` (verified by ${printable(verifiedHost)})`;
}

function lineOf(connection: Connection, id: string, context: CommandContext): string {
  const { client, kind, address, current, createdAt, lastUsedAt } = connection;
  const { style, nowMs } = renderOptions(context);
  const when = (time: string) => formatRelativeTime(Date.parse(time), nowMs);
  const where = address === null ? '' : ` from ${address}`;
  const name = `${style.bold(printable(client))}${vouchedFor(connection)}${current ? ' (this one)' : ''}`;
  return `${style.dim(id)}  ${name}\n  ${KINDS[kind]} ${when(createdAt)}, last used ${when(lastUsedAt)}${where}`;
}
