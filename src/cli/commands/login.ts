import { Command, InvalidArgumentError, Option } from 'commander';
import { type AccountContext, openKeychain } from '../account-context.ts';
import { formatCount } from '../number-format.ts';
import { createOutput, type Output } from '../output.ts';
import type { Profile } from '../settings.ts';
import type { Dialogue } from '../sign-in/dialogue.ts';
import { profileOption } from '../sign-in/profile-choice.ts';
import type { SignInResult } from '../sign-in/sign-in-flow.ts';

interface LoginOptions {
  email?: string;
  url?: string;
  profile?: string;
  keyStore?: Profile['keyStore'];
  browserHandOver: boolean;
  timeout?: number;
  json?: true;
}

const HELP = `
You get a link by mail. Open it on this computer, and the terminal goes on by itself; open it on a phone, or work over
SSH, and type the code that the page shows. Signing in makes a new key: the one before it stops working at once.

The key goes into the system's keychain. Where there is none, it goes into a file that only you may read, and you are
told so; --key-store keychain refuses that instead. Where standard input is no terminal nothing is asked: name the
address, and pipe the code in as a line where the link cannot be opened here.

Examples:
  $ svc login                                           asks for your address
  $ svc login --email a@example.com --url https://svc.example.com
  $ svc login --email b@example.com --profile work      a second account beside the first
  $ svc login --email a@example.com --json --timeout 300`;

/** The longest that a link and, after it, its code can live. */
const UNATTENDED_SECONDS = 25 * 60;

/** `svc login`: signs this terminal in by a mailed link, and keeps the key. */
export function loginCommand(context: AccountContext): Command {
  return new Command('login')
    .description('sign in by a link in your mail')
    .option('--email <address>', 'your address; asked for where it is not given')
    .option('--url <address>', 'the daemon [SVC_URL, or the one of the profile]')
    .addOption(profileOption('keep the sign-in under this name; several can be kept'))
    .addOption(new Option('--key-store <kind>', 'keep the key here or fail').choices(['keychain', 'file'] as const))
    .option('--no-browser-hand-over', 'do not listen for the browser of this computer; the code is typed')
    .option('--timeout <seconds>', `give up after so long [${UNATTENDED_SECONDS} where nobody types]`, wholeSeconds)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action((options: LoginOptions) => login(options, context));
}

async function login(options: LoginOptions, context: AccountContext): Promise<void> {
  const [{ signIn }, { openSettings }] = await Promise.all([
    import('../sign-in/sign-in-flow.ts'),
    import('../settings.ts'),
  ]);
  const output = createOutput(context.terminal, options);
  const settings = openSettings(context.environment);
  const dialogue = await openDialogue(context, output);
  const seconds = options.timeout ?? (context.input.isTty ? undefined : UNATTENDED_SECONDS);
  const result = await signIn(
    { ...options, handOver: options.browserHandOver, timeoutMs: seconds && seconds * 1000 },
    { context: { ...context, keychain: openKeychain(context) }, settings, dialogue, output },
  );
  tell(result, output);
  if (result.warning !== undefined) output.warn(result.warning);
  const { profileName, profile, apiKey } = result;
  await context.afterLogin?.({ profileName, profile, apiKey }).catch((error: Error) => output.warn(error.message));
}

/** A drawn dialogue where there is a terminal to draw on; it is loaded only there. */
async function openDialogue(context: AccountContext, output: Output): Promise<Dialogue> {
  const { screen, terminal, input, clock } = context;
  const monotonicMs = () => clock.monotonicMs();
  if (screen) {
    const { createScreenDialogue } = await import('../ui/screen-dialogue.tsx');
    return createScreenDialogue({ ...screen, color: terminal.color, monotonicMs });
  }
  const { createLineDialogue } = await import('../sign-in/line-dialogue.ts');
  return createLineDialogue({ input, output, monotonicMs });
}

function tell({ account, profile, profileName }: SignInResult, output: Output): void {
  const { email, tenantId, tier, limits } = account;
  const { url, keyStore } = profile;
  output.data({ status: 'signed-in', email, tenantId, tier, url, profile: profileName, keyStore });
  const { style } = output;
  output.line(`${style.good('✓')} Signed in as ${style.bold(email)}`);
  output.line(`  at ${url}`);
  output.line(`  ${tier}, ${formatCount(limits.requestsPerMinute)} requests a minute`);
  output.line(`  profile ${profileName}, key in ${keyStore === 'keychain' ? 'the keychain' : 'a file of mode 0600'}`);
}

function wholeSeconds(text: string): number {
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= 86_400) return seconds;
  throw new InvalidArgumentError('It is a number of seconds, 1 to 86400.');
}
