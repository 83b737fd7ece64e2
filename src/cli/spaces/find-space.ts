import type { Client, Space, SpaceMember } from '../../client/client.ts';
import type { CommandContext } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { type CommonOptions, clientOf } from '../memory/command-options.ts';

/** A space with a client that acts in the own account, as the calls about spaces do. */
export interface OpenedSpace {
  client: Client;
  space: Space;
  profileName: string;
}

/** Opens the space of `--space`, or the one in use. Throws `CommandFailure` if there is none. */
export async function openSpace(context: CommandContext, options: CommonOptions): Promise<OpenedSpace> {
  const session = await context.session(options.profile, options.space);
  if (!session.space) {
    const message = 'Name the space: add --space NAME, or choose one for all commands with svc space use NAME.';
    throw new CommandFailure(EXIT.usage, message);
  }
  const client = clientOf({ ...session, space: undefined }, context.terminal);
  const space = await findSpace(client, session.space.key);
  return { client, space, profileName: session.profileName };
}

/** Finds a space that the account has joined or is invited to, by its id or name. Throws `CommandFailure`. */
export async function findSpace(client: Client, idOrName: string): Promise<Space> {
  const { data } = await client.spaces.list();
  const byId = data.find(({ id }) => id === idOrName);
  const [space, ...others] = byId ? [byId] : data.filter(({ name }) => name === idOrName);
  if (!space) {
    throw new CommandFailure(EXIT.failed, `You are in no space “${idOrName}”. svc space lists yours.`);
  }
  if (others.length === 0) return space;
  const ids = [space, ...others].map(({ id, role, createdAt }) => `${id} (${role}, of ${createdAt.slice(0, 10)})`);
  throw new CommandFailure(
    EXIT.failed,
    `Several of your spaces are named “${idOrName}”. Use an id:\n${ids.join('\n')}`,
  );
}

/** Finds a member, or an invitation, by its address. Throws `CommandFailure`. */
export async function findMember(
  { client, space }: Pick<OpenedSpace, 'client' | 'space'>,
  email: string,
): Promise<SpaceMember> {
  const { data } = await client.spaces.members.list(space.id);
  const member = data.find((one) => one.email.toLowerCase() === email.trim().toLowerCase());
  if (member) return member;
  const message = `${email} is not in the space “${space.name}”. svc space members lists who is.`;
  throw new CommandFailure(EXIT.failed, message);
}

/** Throws `CommandFailure` for a space that the account is only invited to. */
export function requireJoined({ name, state }: Space): void {
  if (state === 'joined') return;
  throw new CommandFailure(
    EXIT.failed,
    `You are invited to the space “${name}”, but have not joined: svc space join ${JSON.stringify(name)}`,
  );
}
