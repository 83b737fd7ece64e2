import { Argument, Command, InvalidArgumentError } from 'commander';
import { AppError } from '../../contract/errors.ts';
import { TIERS, type Tier } from '../../contract/limits.ts';
import type { Rooms } from '../../daemon/rooms.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { CommandContext, SetExitCode, Terminal } from '../command-context.ts';
import { JSON_OPTION } from '../memory/command-options.ts';
import { addBackupCommands } from './admin-backup.ts';
import { addCheckCommand } from './admin-check.ts';
import { createAdminContext, DATA_DIR_OPTION } from './admin-context.ts';
import { parseEmail } from './admin-email.ts';
import { addMoveCommand } from './admin-move.ts';
import { addOpenCommand } from './admin-open.ts';
import { addReindexCommand } from './admin-reindex.ts';
import { addRotationCommand } from './admin-rotation.ts';
import { addSpacesCommand } from './admin-spaces.ts';

/** `svc admin`: operator commands that work directly on the data folder, whether or not the daemon is running. */
export function adminCommand(
  terminal: Terminal,
  setExitCode: SetExitCode,
  context: () => Promise<CommandContext>,
): Command {
  const admin = new Command('admin')
    .description("operator commands, run on the daemon's machine, usually while it is running")
    .option(...DATA_DIR_OPTION)
    .option(...JSON_OPTION);
  const shared = createAdminContext(admin, terminal, context);
  const { config, print } = shared;
  const inRooms = async <T>(work: (rooms: Rooms) => Promise<T>) => {
    const { withRooms } = await import('../../daemon/admin.ts');
    return withRooms(await config(), work);
  };

  admin
    .command('tenants')
    .description('list accounts, newest first')
    .action(async () => {
      const rows = await inRooms(({ accounts }) => accounts.list());
      const tenants = rows.map(({ tenantId, email, tier, createdAt }) => ({
        tenantId,
        email,
        tier,
        createdAt: toTimestamp(createdAt),
      }));
      const lines = tenants.map(
        ({ tenantId, email, tier, createdAt }) =>
          `${createdAt.slice(0, 10)}  ${tier.padEnd(10)}  ${tenantId}  ${email}`,
      );
      print(lines.join('\n') || 'No accounts yet. The first sign-in creates one.', tenants);
    });
  admin
    .command('tier')
    .description("change an account's tier, effective immediately")
    .argument('<email>', "the account's email address", parseEmail)
    .addArgument(new Argument('<tier>', 'the new tier').choices(TIERS).argParser(parseTier))
    .action(async (address: string, tier: Tier) => {
      await inRooms(async ({ accounts }) => accounts.setTier((await accounts.byEmail(address)).tenantId, tier));
      print(`${address} is on ${tier} now.`, { email: address, tier });
    });
  admin
    .command('erase')
    .description('erase an account and all its data')
    .argument('<email>', "the account's email address", parseEmail)
    .requiredOption('--yes', 'confirm: this cannot be undone')
    .action(async (address: string) => {
      await inRooms(async ({ accounts }) => accounts.erase((await accounts.byEmail(address)).tenantId));
      print(`Erased ${address}.`, { erased: address });
    });
  admin
    .command('invite')
    .description('let an address sign up when SVC_SIGNUP=invite')
    .argument('<email>', 'the address to invite', parseEmail)
    .action(async (address: string) => {
      await inRooms(({ accounts }) => accounts.invite(address));
      print(`${address} can now sign up.`, { invited: address });
    });
  admin
    .command('invitations')
    .description('list open invitations')
    .action(async () => {
      const invitations = await inRooms(({ accounts }) => accounts.invitations());
      const lines = invitations.map(({ email, createdAt }) => `${createdAt.slice(0, 10)}  ${email}`);
      print(lines.join('\n') || 'No open invitations.', invitations);
    });
  admin
    .command('withdraw')
    .description('withdraw an invitation')
    .argument('<email>', 'the invited address', parseEmail)
    .action(async (address: string) => {
      const withdrawn = await inRooms(({ accounts }) => accounts.withdraw(address));
      if (!withdrawn) throw new AppError('not_found', `${address} has no open invitation.`);
      print(`${address} can no longer sign up.`, { withdrawn: address });
    });
  addCheckCommand(admin, shared, setExitCode);
  addReindexCommand(admin, shared);
  addSpacesCommand(admin, shared, inRooms);
  addOpenCommand(admin, shared);
  addBackupCommands(admin, shared);
  addRotationCommand(admin, shared);
  addMoveCommand(admin, shared);
  return admin;
}

/** Reads a tier, of which upper and lower case do not matter. */
function parseTier(text: string): Tier {
  const tier = TIERS.find((name) => name.toLowerCase() === text.toLowerCase());
  if (tier === undefined) throw new InvalidArgumentError(`Allowed choices are ${TIERS.join(', ')}.`);
  return tier;
}
