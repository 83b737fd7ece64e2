import type { Command } from 'commander';
import type { Rooms } from '../../daemon/rooms.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { oneLine } from '../memory/terminal-text.ts';
import type { AdminContext } from './admin-context.ts';
import { parseEmail } from './admin-email.ts';

/** Adds `svc admin spaces`, which lists the shared spaces, and `svc admin spaces create`. */
export function addSpacesCommand(
  admin: Command,
  { print }: Pick<AdminContext, 'print'>,
  inRooms: <T>(work: (rooms: Rooms) => Promise<T>) => Promise<T>,
): void {
  const spaces = admin
    .command('spaces')
    .description('list the spaces that accounts share, newest first')
    .action(async () => {
      const rows = await inRooms(({ memberships }) => memberships.listAll());
      const listed = rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: toTimestamp(createdAt) }));
      const lines = listed.map(
        ({ tenantId, name, tier, members, storedBytes, createdAt }) =>
          `${createdAt.slice(0, 10)}  ${tier.padEnd(10)}  ${tenantId}  ${oneLine(name)}: ${members} members, ${storedBytes} bytes`,
      );
      print(lines.join('\n') || 'No spaces yet. svc space create makes one, or svc admin spaces create.', listed);
    });
  spaces
    .command('create')
    .description('make a space for an account, also if SVC_SPACES=operator')
    .argument('<name>', 'the name of the space')
    .requiredOption('--owner <email>', 'the account that owns it', parseEmail)
    .action(async (name: string, { owner }: { owner: string }) => {
      const tenantId = await inRooms(async ({ accounts, memberships }) => {
        const { tenantId: memberId, email, tier } = await accounts.byEmail(owner);
        const made = { by: 'operator', find: async (_: unknown, id: string) => id } as const;
        return (await memberships.foundOnce({ memberId, email, tier }, name, made)).body;
      });
      print(`${owner} owns the space ${oneLine(name)} now (${tenantId}).`, { tenantId, name, owner });
    });
}
