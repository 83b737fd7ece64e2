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
Revokes the key at the daemon, then removes it from this computer. Assistants
that have it in their own files stop working until the next svc login. After svc
login --device only this device is disconnected; the key stays valid. If the
daemon cannot be reached, the key is removed anyway, svc warns that it is still
valid, and the exit code is 4.

Examples:
  $ svc logout
  $ svc logout --all                  every profile
  $ svc logout --keep-key             remove the key here; it stays valid elsewhere`;

/** `svc logout`: revokes the key and removes it. */
export function logoutCommand(context: AccountContext): Command {
  return new Command('logout')
    .description('revoke the key and remove it from this computer')
    .addOption(profileOption('sign out of this profile'))
    .option('--all', 'sign out of every profile')
    .option('--keep-key', 'remove the key here only; it stays valid')
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
    printResult(result, output);
    results.push(result);
  }
  output.data(options.all ? results.map(toJson) : toJson(results[0]!));
  if (settings.overrides.apiKey !== undefined) output.warn('SVC_API_KEY is still set, and commands keep using it.');
  const exitCode = exitCodeOf(results);
  if (exitCode !== EXIT.done) throw new CommandFailure(exitCode);
}

type Result = Awaited<ReturnType<typeof import('../sign-in/sign-out.ts').signOut>>;

function toJson({ name, profile: { url, email }, key, problem }: Result) {
  return { profile: name, url, email, key, ...(problem !== undefined && { trouble: problem }) };
}

function printResult({ name, profile, key, isDevice, problem }: Result, output: Output): void {
  if (problem !== undefined) output.warn(problem);
  if (key === 'kept-here') return;
  const outcome = {
    invalidated: isDevice ? 'this device was disconnected' : 'its key was revoked',
    'still-valid': 'its key is still valid',
  }[key];
  output.line(
    `${output.style.good('✓')} Signed out of ${profile.url} as ${profile.email} (profile ${name}); ${outcome}.`,
  );
}
