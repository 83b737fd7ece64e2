import { Command } from 'commander';
import { type AccountContext, openKeychain } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createOutput, type Output } from '../output.ts';
import { profileOption } from '../sign-in/profile-choice.ts';

interface LogoutOptions {
  profile?: string;
  all?: true;
  keepKey?: true;
  json?: true;
}

const HELP = `
The key is made invalid at the daemon, then forgotten here. Assistants that hold it in their own files stop working
until the next svc login. Where the daemon cannot be reached the key is forgotten all the same, you are told that it is
still valid, and the exit code is 4.

Examples:
  $ svc logout
  $ svc logout --all                  every profile
  $ svc logout --keep-key             forget the key here; it stays valid elsewhere`;

/** `svc logout`: makes the key invalid and forgets it. */
export function logoutCommand(context: AccountContext): Command {
  return new Command('logout')
    .description('make the key invalid and forget it')
    .addOption(profileOption('sign out of this one'))
    .option('--all', 'sign out of every profile')
    .option('--keep-key', 'forget the key here only; it stays valid')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((options: LogoutOptions) => logout(options, context));
}

async function logout(options: LogoutOptions, context: AccountContext): Promise<void> {
  const [{ signOut, exitCodeOf }, { openSettings }, { chosenProfiles }] = await Promise.all([
    import('../sign-in/sign-out.ts'),
    import('../settings.ts'),
    import('../session.ts'),
  ]);
  const output = createOutput(context.terminal, options);
  const settings = openSettings(context.environment);
  const keychain = openKeychain(context);
  const results = [];
  for (const { name, profile } of chosenProfiles(settings, options)) {
    const result = await signOut(
      { name, profile, keepKey: options.keepKey === true },
      { ...context, settings, keychain },
    );
    tell(result, output);
    results.push(result);
  }
  output.data(options.all ? results.map(shown) : shown(results[0]!));
  if (settings.overrides.apiKey !== undefined) output.warn('SVC_API_KEY is still set, and commands go on with it.');
  const exitCode = exitCodeOf(results);
  if (exitCode !== EXIT.done) throw new CommandFailure(exitCode);
}

type Result = Awaited<ReturnType<typeof import('../sign-in/sign-out.ts').signOut>>;

function shown({ name, profile: { url, email }, key, trouble }: Result) {
  return { profile: name, url, email, key, ...(trouble !== undefined && { trouble }) };
}

function tell({ name, profile, key, trouble }: Result, output: Output): void {
  if (trouble !== undefined) output.warn(trouble);
  if (key === 'kept-here') return;
  const fate = { invalidated: 'its key is invalid now', 'still-valid': 'its key is still valid' }[key];
  output.line(`${output.style.good('✓')} Signed out of ${profile.url} as ${profile.email} (profile ${name}); ${fate}.`);
}
