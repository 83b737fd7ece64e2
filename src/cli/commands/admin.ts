import { Argument, Command, InvalidArgumentError } from 'commander';
import { AppError } from '../../contract/errors.ts';
import { TIERS, type Tier } from '../../contract/limits.ts';
import { readProcessConfig } from '../../daemon/config.ts';
import type { Rooms } from '../../daemon/rooms.ts';
import { normalizeEmail } from '../../features/accounts/email-address.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { CommandContext, SetExitCode, Terminal } from '../command-context.ts';
import { EXIT } from '../exit.ts';
import { addBackupCommands } from './admin-backup.ts';
import type { AdminContext } from './admin-context.ts';
import { addRotationCommand } from './admin-rotation.ts';

interface Options {
  dataDir?: string;
  json?: true;
}

/** `svc admin`: the operator's commands. They work on the data folder itself, with the daemon running or not. */
export function adminCommand(
  terminal: Terminal,
  endWith: SetExitCode,
  context: () => Promise<CommandContext>,
): Command {
  const admin = new Command('admin')
    .description("the operator's commands, on the daemon's machine; the daemon may go on meanwhile")
    .option('--data-dir <folder>', 'the data folder [SVC_DATA_DIR]')
    .option('--json', 'print JSON');
  const options = () => admin.opts<Options>();
  const config = () => readProcessConfig(options().dataDir === undefined ? {} : { dataDir: options().dataDir! });
  const administration = () => import('../../daemon/administration.ts');
  const inRooms = async <T>(work: (rooms: Rooms) => Promise<T>) =>
    (await administration()).withRooms(await config(), work);
  const say = (text: string, data: unknown) =>
    terminal.out(`${options().json ? JSON.stringify(data, null, 2) : text}\n`);

  admin
    .command('tenants')
    .description('list the accounts, newest first')
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
      say(lines.join('\n') || 'No accounts yet. The first sign-in makes one.', tenants);
    });
  admin
    .command('tier')
    .description("change an account's tier; in force at once")
    .argument('<email>', 'address of the account', emailAddress)
    .addArgument(new Argument('<tier>', 'the new tier').choices(TIERS))
    .action(async (address: string, tier: Tier) => {
      await inRooms(async ({ accounts }) => accounts.setTier((await accounts.byEmail(address)).tenantId, tier));
      say(`${address} is on ${tier} now.`, { email: address, tier });
    });
  admin
    .command('erase')
    .description('erase an account and everything that is its')
    .argument('<email>', 'address of the account', emailAddress)
    .requiredOption('--yes', 'really: it cannot be undone')
    .action(async (address: string) => {
      await inRooms(async ({ accounts }) => accounts.erase((await accounts.byEmail(address)).tenantId));
      say(`${address} is erased.`, { erased: address });
    });
  admin
    .command('invite')
    .description('let an address sign up where SVC_SIGNUP=invite')
    .argument('<email>', 'address to invite', emailAddress)
    .action(async (address: string) => {
      await inRooms(({ accounts }) => accounts.invite(address));
      say(`${address} may sign up.`, { invited: address });
    });
  admin
    .command('invitations')
    .description('list the open invitations')
    .action(async () => {
      const invitations = await inRooms(({ accounts }) => accounts.invitations());
      const lines = invitations.map(({ email, createdAt }) => `${createdAt.slice(0, 10)}  ${email}`);
      say(lines.join('\n') || 'No open invitations.', invitations);
    });
  admin
    .command('withdraw')
    .description('take an invitation back')
    .argument('<email>', 'invited address', emailAddress)
    .action(async (address: string) => {
      const was = await inRooms(({ accounts }) => accounts.withdraw(address));
      if (!was) throw new AppError('not_found', `${address} has no open invitation.`);
      say(`${address} may no longer sign up.`, { withdrawn: address });
    });
  admin
    .command('check')
    .description('check the integrity of the database and of its index')
    .action(async () => {
      const { checkIntegrity } = await administration();
      const problems = await checkIntegrity(await config());
      say(problems.length === 0 ? 'The database is sound.' : problems.join('\n'), {
        sound: problems.length === 0,
        problems,
      });
      if (problems.length > 0) endWith(EXIT.failed);
    });
  const parts: AdminContext = { context, config, json: () => options().json, print: say };
  addBackupCommands(admin, parts);
  addRotationCommand(admin, parts);
  return admin;
}

/** In its normal form, under which the account is kept. */
function emailAddress(text: string): string {
  try {
    return normalizeEmail(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
